import { describeFunctions } from '../local/functions/function-suite.ts';
import { AwsEnvironment } from './aws-environment.ts';

// The very suite that the local run's own environments pass.
describeFunctions(
  "AWS's runtime interface client",
  (lambda, surroundings) => new AwsEnvironment(lambda, surroundings),
);
