import { unsupported } from '../errors.ts';
import type { GatewayAnswer, RequestContext } from './request-context.ts';

/**
 * Makes the headers and the body of an answer. A header is left out if its variable has no value. In a body, variables
 * are replaced without escaping. A variable without a value is replaced by an empty text.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/request-response-data-mappings.html
 */
export type MappedAnswer = (context: RequestContext) => Pick<GatewayAnswer, 'headers' | 'body'>;

const expression = /^(?:'(?<text>.*)'|context\.(?<variable>[\w.]+))$/s;
const variables = /\$context\.(?<path>\w+(?:\.\w+)*)/g;

/**
 * @param parameters mapping expressions by target, such as `gatewayresponse.header.X-Limit`; an expression
 *   is `'text'` or a variable, such as `context.authorizer.limit`
 * @param prefix the start of each target, such as `gatewayresponse.header.`
 * @param templates the templates of the body by content type; only the first template is used
 * @throws TemplateError for a target, an expression or a template that is not supported
 */
export function readMappedAnswer(
  logicalId: string,
  parameters: Readonly<Record<string, string>> | undefined,
  prefix: string,
  templates: Readonly<Record<string, string>> | undefined,
): MappedAnswer {
  const mappings = Object.entries(parameters ?? {}).map(([target, mapping]) => {
    if (!target.startsWith(prefix)) throw unsupported(logicalId, `the parameter ${target}`);
    const { text, variable } = expression.exec(mapping)?.groups ?? {};
    if (text === undefined && variable === undefined) {
      throw unsupported(logicalId, `the mapping ${mapping}`);
    }
    return { name: target.slice(prefix.length), text, variable };
  });
  const [contentType, template] = Object.entries(templates ?? {})[0] ?? ['application/json', ''];
  checkTemplate(template, logicalId);

  return (context) => {
    const mapped = mappings.flatMap(({ name, text, variable }): [string, string][] => {
      const value = text ?? contextVariable(context, variable!);
      return value === undefined ? [] : [[name, value]];
    });
    const body = template.replaceAll(
      variables,
      (_, path: string) => contextVariable(context, path) ?? '',
    );
    return { headers: [['Content-Type', contentType], ...mapped], body: Buffer.from(body) };
  };
}

function checkTemplate(template: string, logicalId: string): void {
  // Without the space, the texts before and after a variable could together look like Velocity.
  const found = /\$[!{A-Za-z]\w*|#[a-z*#]+/.exec(template.replaceAll(variables, ' '));
  if (found) throw unsupported(logicalId, `a template with ${found[0]}`);
}

function contextVariable(context: RequestContext, path: string): string | undefined {
  const names = path.split('.');
  const value = names.reduce<unknown>((outer, name) => Object(outer)[name], context);
  return value === null || value === undefined ? undefined : String(value);
}
