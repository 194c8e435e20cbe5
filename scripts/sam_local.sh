#!/bin/sh
# Each function once, with its example event, in the container that Lambda would use. Needs Docker and a build.
set -eu
docker info >/dev/null 2>&1 || { echo "Docker is not running here; the functions run without it under \`superbiz up\`" >&2; exit 0; }
[ -d .aws-sam/build ] || { echo "Nothing is built yet; run \`make build\` first" >&2; exit 1; }
sam=.venv-sam/bin/sam
[ -x "$sam" ] || sam=sam
for event in events/*.json; do
    name=$(basename "$event" .json)
    case $name in *_ended) function=Sweeper ;; *) function=$(echo "$name" | sed -E 's/(^|_)([a-z])/\U\2/g') ;; esac
    echo "== ${function}Function < $event"
    "$sam" local invoke "${function}Function" --template .aws-sam/build/template.yaml --event "$event"
done
