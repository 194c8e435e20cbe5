"""What the patched emulator and its callers agree on. Without any import, since each side has to load only its own."""

FOLDER = "SUPERBIZ_STACK_FOLDER"
INTERPRETER = "SUPERBIZ_LAMBDA_PYTHON"
LAYER_PATHS = "SUPERBIZ_LAYER_PATHS"
LAYER_POINTER = "superbiz-layer-paths.json"
REPLAY = "superbiz-replay"
