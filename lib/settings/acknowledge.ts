import { Validations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';

/** Accepts a finding of the validation checks on one construct. The reason is for reviewers. */
export function acknowledge(
  construct: IConstruct,
  finding: { readonly id: string; readonly reason: string },
): void {
  Validations.of(construct).acknowledge(finding);
}
