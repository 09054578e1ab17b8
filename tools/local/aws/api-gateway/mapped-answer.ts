import { TemplateError } from '../template.ts';
import type { GatewayAnswer, RequestContext } from './request-context.ts';

/**
 * Makes the headers and the body of an answer. A header is left out if its variable has no value. In a body, variables
 * are replaced without escaping. A variable without a value is replaced by an empty text.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/request-response-data-mappings.html
 */
export type MappedAnswer = (context: RequestContext) => Pick<GatewayAnswer, 'headers' | 'body'>;

const headerTarget = /^(?:gatewayresponse|method\.response)\.header\.(.+)$/;
const expression = /^(?:'(?<text>.*)'|context\.(?<variable>[\w.]+))$/s;
const variables = /\$context\.(?<path>\w+(?:\.\w+)*)/g;

/**
 * @param parameters mapping expressions by target, such as `gatewayresponse.header.X-Limit`; an expression
 *   is `'text'` or a variable, such as `context.authorizer.limit`
 * @param templates the templates of the body by content type; only the first template is used
 * @throws TemplateError for a target, an expression or a template that is not supported
 */
export function readMappedAnswer(
  logicalId: string,
  parameters: Readonly<Record<string, string>> = {},
  templates: Readonly<Record<string, string>> = {},
): MappedAnswer {
  const mappings = Object.entries(parameters).map(([target, mapping]) => {
    const [, name] = headerTarget.exec(target) ?? [];
    const { text, variable } = expression.exec(mapping)?.groups ?? {};
    if (name === undefined || (text ?? variable) === undefined) {
      throw new TemplateError(logicalId, `the mapping of ${target} to ${mapping}`);
    }
    return { name, text, variable };
  });
  const [contentType, template] = Object.entries(templates)[0] ?? ['application/json', ''];
  // A template may only substitute. Variables are replaced by a space, because without it the texts around a variable
  // could look like Velocity.
  const [velocity] = /\$[!{A-Za-z]\w*|#[a-z*#]+/.exec(template.replaceAll(variables, ' ')) ?? [];
  if (velocity) throw new TemplateError(logicalId, `a template with ${velocity}`);

  return (context) => {
    const mapped = mappings.flatMap(({ name, text, variable }): [string, string][] => {
      const value = text ?? contextVariable(context, variable!);
      return value === undefined ? [] : [[name, value]];
    });
    const body = template.replaceAll(variables, (_, path) => contextVariable(context, path) ?? '');
    return { headers: [['Content-Type', contentType], ...mapped], body: Buffer.from(body) };
  };
}

function contextVariable(context: RequestContext, path: string): string | undefined {
  const names = path.split('.');
  const value = names.reduce<unknown>((outer, name) => Object(outer)[name], context);
  return value === null || value === undefined ? undefined : String(value);
}
