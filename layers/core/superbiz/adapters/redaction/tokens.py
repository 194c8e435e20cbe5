"""Secrets that are known by their form. Where detect-secrets keeps a vendor's form, its pattern is used."""
# ruff: noqa: E501 (a row of a table is one line)

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

from superbiz.adapters.redaction.detector import kept, own, token

_KEY_BLOCK = r"PRIVATE KEY(?: BLOCK)?"
_BODY = r"(?:\\[nr]|[A-Za-z0-9+/=\s:,-]){0,20000}"

TOKENS = (
    own("PRIVATE_KEY", ("private key",),
        rf"-----BEGIN [A-Z0-9 ]{{0,40}}{_KEY_BLOCK}-----(?:(?!-----BEGIN)[^<]){{0,20000}}?-----END [A-Z0-9 ]{{0,40}}{_KEY_BLOCK}-----",
        rf"-----BEGIN [A-Z0-9 ]{{0,40}}{_KEY_BLOCK}-----(?!<){_BODY}"),
    token("PRIVATE_KEY", "AGE-SECRET-KEY-1", r"[0-9A-Z]{40,60}"),
    own("JWT", ("eyj",), r"(?<![\w-])eyJ[\w-]{8,}=*\.[\w-]{8,}=*(?:\.[\w.+/=-]*)?"),
    own("AWS_SECRET", ("AKIA", "ASIA"), r"(?:AKIA|ASIA)[A-Z0-9]{16}[\"']?[\s,:;|/]{1,8}[\"']?(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
    kept("AWS_KEY", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), AWSKeyDetector, slice(1)),
    own("AWS_SESSION_TOKEN", ("IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz"), r"(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9/+=%_-]{40,4000}"),
    token("AWS_KEY", "ABSK", r"[A-Za-z0-9+/]{60,200}={0,2}"),
    kept("GITHUB_TOKEN", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), GitHubTokenDetector),
    token("GITHUB_TOKEN", "github_pat_", r"\w{22,255}"),
    kept("GITLAB_TOKEN", ("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glcbt-", "gr1348941"), GitLabTokenDetector),
    own("GITLAB_TOKEN", ("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glcbt-", "glptt-", "glagent-", "glimt-", "gloas-"), r"(?<![\w-])gl(?:pat|dt|ft|soat|rt|cbt|ptt|agent|imt|oas)-[\w-]{20,300}"),
    kept("SLACK_TOKEN", ("xox", "hooks.slack.com"), SlackDetector),
    own("SLACK_TOKEN", ("xox", "xapp-"), r"(?<![\w-])(?:xox[a-z](?:\.xox[a-z])?|xapp)-\d[\w-]{15,300}"),
    kept("STRIPE_KEY", ("k_live_",), StripeDetector),
    own("STRIPE_KEY", ("k_test_", "k_live_", "whsec_"), r"(?<![A-Za-z0-9-])(?:[rsp]k_(?:test|live)|whsec)_\w{16,255}"),
    kept("SENDGRID_KEY", ("sg.",), SendGridDetector),
    token("ANTHROPIC_KEY", "sk-ant-", r"[\w-]{24,255}"),
    kept("OPENAI_KEY", ("sk-",), OpenAIDetector),
    token("OPENAI_KEY", "sk-", r"(?:proj-|svcacct-|admin-|or-v1-)?[\w-]{32,255}"),
    kept("PYPI_TOKEN", ("pypi-",), PypiTokenDetector),
    token("PYPI_TOKEN", "pypi-AgE", r"[\w-]{30,500}"),
    token("NPM_TOKEN", "npm_", r"[A-Za-z0-9]{36}"),
    kept("SQUARE_SECRET", ("sq0csp-",), SquareOAuthDetector),
    own("SQUARE_SECRET", ("sq0", "EAAA"), r"(?<![\w-])(?:sq0[a-z]{3}-[\w-]{22,43}|EAAA[\w-]{60})(?![\w-])"),
    kept("MAILCHIMP_KEY", ("-us",), MailchimpDetector),
    token("MAILGUN_KEY", "key-", r"[0-9a-f]{32}"),
    kept("TELEGRAM_TOKEN", (":AA",), TelegramBotTokenDetector),
    own("TELEGRAM_TOKEN", (":AA",), r"(?<!\d)\d{8,10}:AA[\w-]{32,34}(?![\w-])"),
    kept("TWILIO_KEY", ("SK",), TwilioKeyDetector, slice(1, 2)),
    token("GOOGLE_KEY", "AIza", r"[\w-]{35}"),
    token("GOOGLE_KEY", "GOCSPX-", r"[\w-]{28}"),
    own("GOOGLE_KEY", ("ya29.", "1//0"), r"(?<![\w-])(?:ya29\.[\w-]{20,500}|1//0[\w-]{30,300})"),
    own("AZURE_SECRET", ("8Q~", "7Q~", "9Q~"), r"(?<![\w~.-])[\w~.-]{3}[789]Q~[\w~.-]{31,34}(?![\w~-])"),
    own("DISCORD_TOKEN", ("discord",), r"discord(?:app)?\.com/api/webhooks/\d{15,21}/(?P<secret>[\w-]{40,100})"),
    own("DISCORD_TOKEN", (".",), r"[MNO](?<![\w.-].)[A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,40}(?![\w.-])"),
    own("TEAMS_WEBHOOK", ("webhook.office.com",), r"webhook\.office\.com/webhookb2/(?P<secret>[^\s\"']{40,400})"),
    own("SHOPIFY_TOKEN", ("shp",), r"(?<![\w-])shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    own("DIGITALOCEAN_TOKEN", ("_v1_",), r"(?<![\w-])do[opr]_v1_[0-9a-f]{64}"),
    own("VAULT_TOKEN", ("hv",), r"(?<![\w-])hv[sbr]\.[\w-]{24,300}"),
    own("TERRAFORM_TOKEN", (".atlasv1.",), r"(?<![\w-])[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}"),
    token("DATABRICKS_TOKEN", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    token("HUGGINGFACE_TOKEN", "hf_", r"[A-Za-z]{30,40}"),
    token("LINEAR_KEY", "lin_api_", r"[A-Za-z0-9]{40}"),
    own("NOTION_TOKEN", ("ntn_", "secret_"), r"(?<![\w-])(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})(?![\w-])"),
    token("POSTMAN_KEY", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    own("NEWRELIC_KEY", ("NRAK-", "NRII-", "NRIQ-", "NRRA-", "FFFFNRAL"), r"(?<![\w-])NR(?:AK|II|IQ|RA)-[\w-]{27,44}|[0-9a-fA-F]{36}NRAL"),
    own("GRAFANA_TOKEN", ("glsa_", "glc_"), r"(?<![\w-])(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})"),
    own("SENTRY_TOKEN", ("sntry",), r"(?<![\w-])sntry[su]_[\w+/=-]{40,300}"),
    own("PLANETSCALE_TOKEN", ("pscale_",), r"(?<![\w-])pscale_(?:tkn|pw|oauth)_[\w.-]{32,64}"),
    token("HEROKU_KEY", "HRKU-", r"[\w-]{36,64}"),
    token("RUBYGEMS_KEY", "rubygems_", r"[0-9a-f]{48}"),
    token("DOCKER_TOKEN", "dckr_pat_", r"[\w-]{27}"),
    own("ATLASSIAN_TOKEN", ("ATATT3", "ATCTT3", "ATBB"), r"(?<![\w-])(?:AT[AC]TT3[\w=-]{60,300}|ATBB[A-Za-z0-9]{32})(?![\w-])"),
    own("MODEL_KEY", ("gsk_", "r8_", "pplx-", "xai-"), r"(?<![\w-])(?:gsk_[A-Za-z0-9]{50,56}|r8_[A-Za-z0-9]{37}|pplx-[A-Za-z0-9]{48,56}|xai-[A-Za-z0-9]{70,90})(?![\w-])"),
    own("SUPABASE_KEY", ("sbp_", "sb_secret_"), r"(?<![\w-])(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{24,48})(?![\w-])"),
    own("RAZORPAY_KEY", ("rzp_",), r"(?<![\w-])rzp_(?:live|test)_[A-Za-z0-9]{14,24}"),
    token("ALIBABA_KEY", "LTAI", r"[A-Za-z0-9]{12,28}"),
    token("TENCENT_KEY", "AKID", r"[A-Za-z0-9]{28,36}"),
    own("AIRTABLE_TOKEN", ("pat",), r"(?<![\w-])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    token("FIGMA_TOKEN", "figd_", r"[\w-]{36,48}"),
    token("ARTIFACTORY_KEY", "AKCp", r"[A-Za-z0-9]{60,80}"),
    token("DOPPLER_TOKEN", r"dp\.", r"(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}", hint="dp."),
    token("FLY_TOKEN", "FlyV1 ", r"fm\d_[\w+/=,-]{60,600}"),
    own("OKTA_TOKEN", ("ssws ",), r"(?i)(?<!\w)SSWS\s{1,4}(?P<secret>00[\w-]{38,44})"),
)  # fmt: skip
