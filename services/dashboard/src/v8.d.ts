/** The contracts' error class uses it where it is; browsers other than Chromium's kin ignore it. */
interface ErrorConstructor {
  stackTraceLimit: number;
}
