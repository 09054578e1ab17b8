import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Template, TemplateError } from '../template.ts';
import { type Invoke, loadFunction } from './function-code.ts';

/** Finds the function that a URI in the template names. @throws TemplateError if there is no such function */
export type FunctionOf = (uri: string, logicalId: string) => Invoke;

/**
 * Loads the template's functions.
 *
 * @param assembly the folder in which the CDK has put the template and the code
 * @param variablesOf the variables that Lambda would add to a function's own, such as its credentials, by the
 *   function's logical id
 * @param log takes a line that a function logged, and the function's name
 * @throws TemplateError if a function's code is not in the assembly
 */
export function loadFunctions(
  template: Template,
  assembly: string,
  variablesOf: (logicalId: string) => Readonly<Record<string, string>>,
  log: (functionName: string, line: string) => void,
): FunctionOf {
  const functions = template
    .ofType('AWS::Lambda::Function')
    .map(({ logicalId, ref: name, property, attribute }) => {
      const asset = basename(String(property('Code').S3Key), '.zip');
      const codeDirectory = join(assembly, `asset.${asset}`);
      if (!existsSync(codeDirectory)) throw new TemplateError(logicalId, 'code without an asset');
      const invoke = loadFunction({
        name,
        codeDirectory,
        handler: property('Handler'),
        environment: {
          AWS_LAMBDA_FUNCTION_NAME: name,
          ...variablesOf(logicalId),
          ...property('Environment')?.Variables,
        },
        log: (line) => log(name, line),
      });
      return { arn: attribute('Arn'), invoke };
    });

  return (uri, logicalId) => {
    const [, invokedArn] = /\/functions\/([^/]+)\//.exec(uri) ?? [];
    // The ARN of an alias is the ARN of its function, followed by the name of the alias.
    const invoked = functions.find(({ arn }) => `${invokedArn}:`.startsWith(`${arn}:`));
    if (!invoked) throw new TemplateError(logicalId, `the URI ${uri}`);
    return invoked.invoke;
  };
}
