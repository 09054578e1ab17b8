"""Completes ministack 1.5.33, in which this runs, with what the service needs and it lacks.

Each edit replaces a text of its source, once. Alarms and saved queries only exist afterwards, and do nothing.
"""

from pathlib import Path

import ministack

SERVICES = Path(ministack.__file__).parent / "services"

ALARMS_AND_QUERIES = '''

# Completed for this service.
def _only_exists(logical_id, *_args, **_kwargs):
    arn = "arn:aws:cloudwatch:eu-central-1:000000000000:alarm:" + logical_id
    return logical_id, {"Arn": arn, "QueryDefinitionId": logical_id}


for _type in ("AWS::CloudWatch::Alarm", "AWS::Logs::QueryDefinition"):
    _RESOURCE_HANDLERS[_type] = {
        "create": _only_exists,
        "update": lambda *_args, **_kwargs: None,
        "delete": lambda *_args, **_kwargs: None,
    }
'''

CONTEXT = '''import contextvars

# Completed for this service.
_AUTHORIZER = contextvars.ContextVar("authorizer", default=None)


def _authorizer_value(name):
    return (_AUTHORIZER.get() or {}).get(name)


'''

# In the order of the source: the text before which something is inserted, or that is replaced, and the new text.
GATEWAY = [
    # What the authorizer returned, for the rest of the request.
    ("def _deny_error(explicit):", CONTEXT + "def _deny_error(explicit):"),
    (
        "    # What a gateway response can map from; filled in as routing resolves it.\n",
        "    _AUTHORIZER.set(None)\n",
    ),
    (
        "    policy_doc, auth_ctx = cached\n    decision",
        "    policy_doc, auth_ctx = cached\n    _AUTHORIZER.set(auth_ctx)\n    decision",
    ),
    # The key that the authorizer names selects the usage plan.
    (
        '            auth_ctx["principalId"] = str(principal_id)\n        # Only',
        '            auth_ctx["principalId"] = str(principal_id)\n'
        '        if policy.get("usageIdentifierKey"):\n'
        '            auth_ctx["usageIdentifierKey"] = policy["usageIdentifierKey"]\n'
        "        # Only",
    ),
    (
        '    key = _resolve_api_key(_api_key_from_request(headers))\n    if key is None:\n        return _gw_error("INVALID',
        '    key = _resolve_api_key(_authorizer_value("usageIdentifierKey") or _api_key_from_request(headers))\n'
        '    if key is None:\n        return _gw_error("INVALID',
    ),
    # The headers and bodies of gateway responses have the authorizer's values.
    (
        '    if source == "context.requestId":\n        return request["request_id"]\n    return None\n',
        '    if source == "context.requestId":\n        return request["request_id"]\n'
        '    prefix = "context.authorizer."\n'
        "    return _authorizer_value(source[len(prefix):]) if source.startswith(prefix) else None\n",
    ),
    (
        "    body = _GATEWAY_TEMPLATE_VARIABLE.sub(",
        '    variables.update({"context.authorizer." + k: v for k, v in (_AUTHORIZER.get() or {}).items()})\n'
        "    body = _GATEWAY_TEMPLATE_VARIABLE.sub(",
    ),
    # The usage plans of one key.
    (
        "    return _v1_paginated_response(list(_usage_plans.values()), query_params)\n",
        '    key_id = (query_params or {}).get("keyId")\n'
        "    key_id = key_id[0] if isinstance(key_id, list) else key_id\n"
        "    plans = [p for p in _usage_plans.values() if not key_id or key_id in (_usage_plan_keys.get(p[\"id\"]) or {})]\n"
        "    return _v1_paginated_response(plans, query_params)\n",
    ),
]


def edit(name, edits, end=""):
    file = SERVICES / name
    source = file.read_text()
    if "Completed for this service" in source:
        return
    for before, after in edits:
        if before not in source:
            raise SystemExit(f"{file}: another version, without {before!r}")
        source = source.replace(before, after, 1)
    file.write_text(source + end)


edit("cloudformation/provisioners.py", [], ALARMS_AND_QUERIES)
edit("apigateway_v1.py", GATEWAY)
