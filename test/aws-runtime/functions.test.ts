import type { StartEnvironment } from '../../local/functions/execution-environment.ts';
import { describeFunctions } from '../local/functions/function-suite.ts';
import { describeStreamingFunctions } from '../local/functions/streaming-suite.ts';
import { AwsEnvironment } from './aws-environment.ts';

const name = "AWS's runtime interface client";
const start: StartEnvironment = (...parameters) => new AwsEnvironment(...parameters);

// The very suites that the local run's own environments pass.
describeFunctions(name, start);
describeStreamingFunctions(name, { maxChunksAhead: 300, startEnvironment: start });
