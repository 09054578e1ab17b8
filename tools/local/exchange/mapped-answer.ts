import { TemplateError } from '../errors.ts';
import type { RequestContext } from './request-context.ts';

const expression = /^(?:'(?<text>.*)'|context\.(?<variable>[\w.]+))$/s;

/**
 * Evaluates mapping expressions by header name, such as `'text'` or `context.authorizer.limit`. A
 * header whose variable has no value is left out.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/request-response-data-mappings.html
 */
export function mappedHeaders(
  mappings: Readonly<Record<string, string>>,
  context: RequestContext,
): [string, string][] {
  return Object.entries(mappings).flatMap(([name, mapping]): [string, string][] => {
    const { text, variable } = expression.exec(mapping)!.groups!;
    const value = text ?? contextVariable(context, variable!);
    return value === undefined ? [] : [[name, value]];
  });
}

/**
 * Reads the header mappings of a response.
 *
 * @param prefix of every target, such as `gatewayresponse.header.`
 * @throws TemplateError for another target, or an expression that is not supported
 */
export function readHeaderMappings(
  parameters: Readonly<Record<string, string>> | undefined,
  prefix: string,
  logicalId: string,
): Record<string, string> {
  const mappings = Object.entries(parameters ?? {}).map(([target, mapping]) => {
    if (!target.startsWith(prefix)) {
      throw new TemplateError(logicalId, `the parameter ${target} is not supported locally`);
    }
    if (!expression.test(mapping)) {
      throw new TemplateError(logicalId, `the mapping ${mapping} is not supported locally`);
    }
    return [target.slice(prefix.length), mapping];
  });
  return Object.fromEntries(mappings);
}

const variables = /\$context\.(?<path>\w+(?:\.\w+)*)/g;

/**
 * Replaces the variables of a body template by their values, without escaping, like gateway
 * responses. An unknown variable becomes an empty text.
 */
export function substituteVariables(template: string, context: RequestContext): string {
  return template.replaceAll(variables, (_, path: string) => contextVariable(context, path) ?? '');
}

/** @throws TemplateError when a body template has anything else than text and `$context` variables */
export function checkTemplate(template: string, logicalId: string): void {
  // A space keeps apart what is before and after a variable, which together could look like Velocity.
  const found = /\$[!{A-Za-z]\w*|#[a-z*#]+/.exec(template.replaceAll(variables, ' '));
  if (!found) return;
  throw new TemplateError(logicalId, `a template with ${found[0]} is not supported locally`);
}

function contextVariable(context: RequestContext, path: string): string | undefined {
  let value: unknown = context;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value === null || value === undefined ? undefined : String(value);
}
