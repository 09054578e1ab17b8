/** A statement of an IAM policy. In actions and resources, `*` stands for any characters and `?` for one. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

/**
 * Whether statements allow an action on a resource. A statement that denies the action outweighs all statements that
 * allow it.
 */
export function isAllowed(
  statements: readonly Statement[],
  action: string,
  resource: string,
): boolean {
  const applying = statements.filter(
    ({ Action, Resource }) => matches(Action, action) && matches(Resource, resource),
  );
  return applying.length > 0 && applying.every(({ Effect }) => Effect === 'Allow');
}

function matches(patterns: string | readonly string[], text: string): boolean {
  return [patterns].flat().some((pattern) => {
    const source = RegExp.escape(pattern).replaceAll('\\*', '.*').replaceAll('\\?', '.');
    return new RegExp(`^${source}$`, 's').test(text);
  });
}
