import { readFileSync } from 'node:fs';
import { matchesArn } from '../../tools/local/iam/pattern.ts';

export const account = '111122223333';
export const region = 'eu-central-1';

/** A call of an AWS API, as IAM looks at it. */
export interface AwsCall {
  readonly action: string;
  readonly resource: string;
  /** The tags of the resource that the call uses. */
  readonly resourceTags?: Readonly<Record<string, string>> | undefined;
  /** The tags of the resource that the call creates. */
  readonly requestTags?: Readonly<Record<string, string>> | undefined;
}

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: { readonly StringEquals: Readonly<Record<string, string>> };
}

/** One action on one resource that a policy allows. */
interface Grant {
  readonly action: string;
  readonly resource: string;
  readonly condition: Readonly<Record<string, string>>;
}

/** What a policy of docs/iam allows, for one stage. */
export function grantsOf(file: string, stage: string): Grant[] {
  const values: Record<string, string> = { ACCOUNT: account, REGION: region, STAGE: stage };
  const text = readFileSync(`docs/iam/${file}`, 'utf8').replaceAll(
    /ACCOUNT|REGION|STAGE/g,
    (name) => values[name]!,
  );
  const statements = JSON.parse(text).Statement as Statement[];
  return statements.flatMap(({ Action, Resource, Condition }) =>
    [Action].flat().flatMap((action) =>
      [Resource].flat().map((resource) => ({
        action,
        resource,
        condition: Condition?.StringEquals ?? {},
      })),
    ),
  );
}

/** Whether a grant allows a call; only what the policies of docs/iam use is known. */
export function allows({ action, resource, condition }: Grant, call: AwsCall): boolean {
  if (action !== call.action || !matchesArn(resource, call.resource)) return false;
  return Object.entries(condition).every(([key, expected]) => {
    const [kind, name] = key.split('/') as [string, string];
    const tags = { 'aws:ResourceTag': call.resourceTags, 'aws:RequestTag': call.requestTags }[kind];
    return tags?.[name] === expected;
  });
}
