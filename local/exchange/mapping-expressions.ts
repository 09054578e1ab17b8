import { TemplateError } from '../template/template-error.ts';
import type { IncomingRequest } from './incoming-request.ts';
import type { RequestContext } from './request-context.ts';

/** The values that mapping expressions and body templates can refer to. */
export interface MappingSource {
  readonly context: RequestContext;
  readonly request: IncomingRequest;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly stageVariables: Readonly<Record<string, string>>;
}

const expression =
  /^(?:'(?<text>.*)'|context\.(?<context>[\w.]+)|stageVariables\.(?<stageVariable>\w+)|method\.request\.(?<part>header|multivalueheader|path|querystring)\.(?<name>.+))$/s;

/**
 * The value of a mapping expression such as `'text'`, `context.authorizer.limit` or
 * `method.request.header.Origin`; undefined when the request has no such value.
 *
 * @param mapping one that `checkMapping` accepts
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/request-response-data-mappings.html
 */
export function evaluateMapping(mapping: string, source: MappingSource): string | undefined {
  const { text, context, stageVariable, part, name } = expression.exec(mapping)!.groups!;
  if (text !== undefined) return text;
  if (context !== undefined) return contextVariable(source.context, context);
  if (stageVariable !== undefined) return source.stageVariables[stageVariable];
  if (part === 'path') return source.pathParameters[name!];
  if (part === 'querystring') return source.request.query.get(name!)?.at(-1);
  return source.request.headers.get(name!.toLowerCase())?.values.at(-1);
}

/** @throws TemplateError when a mapping expression is of a kind that is not supported */
export function checkMapping(mapping: string, logicalId: string): void {
  if (expression.test(mapping)) return;
  throw new TemplateError(logicalId, `the mapping ${mapping} is not supported locally`);
}

const variable =
  /\$(?:\{(?:context|stageVariables)\.[\w.]+\}|(?:context|stageVariables)\.\w+(?:\.\w+)*)/g;

/**
 * Replaces the variables of a body template by their values, without escaping and without support
 * for the Velocity language, like gateway responses. An unknown variable becomes an empty text.
 */
export function substituteVariables(template: string, source: MappingSource): string {
  return template.replaceAll(variable, (match) => {
    const [root, ...path] = match.replaceAll(/[${}]/g, '').split('.') as [string, ...string[]];
    const name = path.join('.');
    const value =
      root === 'context' ? contextVariable(source.context, name) : source.stageVariables[name];
    return value ?? '';
  });
}

/** @throws TemplateError when a body template needs the Velocity language */
export function checkTemplate(template: string, logicalId: string): void {
  // A space keeps apart what is before and after a variable, which together could look like Velocity.
  const rest = template.replaceAll(variable, ' ');
  const velocity = /#(?:set|if|else|elseif|end|foreach|include|parse|macro|\*|#)|\$!?\{?[A-Za-z]/;
  const found = velocity.exec(rest);
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
