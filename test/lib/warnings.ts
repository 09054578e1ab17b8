import type { IConstruct } from 'constructs';

/** The warnings that synthesis prints of a construct and of those below it. */
export function warningsOf({ node }: IConstruct): unknown[] {
  return node
    .findAll()
    .flatMap((construct) => construct.node.metadata)
    .filter(({ type }) => type === 'aws:cdk:warning')
    .map(({ data }) => data);
}
