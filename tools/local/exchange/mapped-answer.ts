import { unsupported } from '../errors.ts';
import type { GatewayAnswer, RequestContext } from './request-context.ts';

/** The headers and the body of an answer that the gateway makes from the variables of a request. */
export interface MappedAnswer {
  /** Mapping expressions by header name, such as `'text'` or `context.authorizer.limit`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The content type and the template of the body. */
  readonly body: readonly [string, string];
}

const expression = /^(?:'(?<text>.*)'|context\.(?<variable>[\w.]+))$/s;
const variables = /\$context\.(?<path>\w+(?:\.\w+)*)/g;

/**
 * Reads the mappings of an answer.
 *
 * @param parameters the expressions by target, such as `gatewayresponse.header.X-Limit`
 * @param prefix the start of each target, such as `gatewayresponse.header.`
 * @param templates the templates of the body by content type; only the first one is used
 * @throws TemplateError for a target, an expression or a template that is not supported
 */
export function readMappedAnswer(
  logicalId: string,
  parameters: Readonly<Record<string, string>> | undefined,
  prefix: string,
  templates: Readonly<Record<string, string>> | undefined,
): MappedAnswer {
  const headers = Object.entries(parameters ?? {}).map(([target, mapping]) => {
    if (!target.startsWith(prefix)) {
      throw unsupported(logicalId, `the parameter ${target}`);
    }
    if (!expression.test(mapping)) {
      throw unsupported(logicalId, `the mapping ${mapping}`);
    }
    return [target.slice(prefix.length), mapping];
  });
  const bodies = Object.entries(templates ?? {});
  for (const [, template] of bodies) checkTemplate(template, logicalId);
  return { headers: Object.fromEntries(headers), body: bodies[0] ?? ['application/json', ''] };
}

/** @throws TemplateError if a body template contains anything but text and `$context` variables */
function checkTemplate(template: string, logicalId: string): void {
  // Without the space, the texts before and after a variable could together look like Velocity.
  const found = /\$[!{A-Za-z]\w*|#[a-z*#]+/.exec(template.replaceAll(variables, ' '));
  if (!found) return;
  throw unsupported(logicalId, `a template with ${found[0]}`);
}

/**
 * Evaluates the mappings for a request. A header whose variable has no value is left out. In a body,
 * variables are replaced without escaping, and one without a value by an empty text.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/request-response-data-mappings.html
 */
export function renderMappedAnswer(
  { headers, body: [contentType, template] }: MappedAnswer,
  context: RequestContext,
): Pick<GatewayAnswer, 'headers' | 'body'> {
  const mapped = Object.entries(headers).flatMap(([name, mapping]): [string, string][] => {
    const { text, variable } = expression.exec(mapping)!.groups!;
    const value = text ?? contextVariable(context, variable!);
    return value === undefined ? [] : [[name, value]];
  });
  const body = template.replaceAll(
    variables,
    (_, path: string) => contextVariable(context, path) ?? '',
  );
  return { headers: [['Content-Type', contentType], ...mapped], body: Buffer.from(body) };
}

function contextVariable(context: RequestContext, path: string): string | undefined {
  const names = path.split('.');
  const value = names.reduce<unknown>((outer, name) => Object(outer)[name], context);
  return value === null || value === undefined ? undefined : String(value);
}
