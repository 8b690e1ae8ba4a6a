/** A key of a later version of rmqns. */
export interface LaterOption {
  /** What it will do. */
  readonly what: string;
  /** Whether its owner would believe to be protected by it; it is then no matter for a warning. */
  readonly protects?: boolean;
}

const admin = { what: 'the admin pages over HTTP' };
const accessControl = { what: 'who may change what', protects: true };

/** Keys that are settled and not built yet: a file written for a later version is told so, not that they are unknown. */
const laterOptions: Readonly<Record<string, LaterOption>> = {
  adminPort: admin,
  adminBind: admin,
  adminTokenFile: admin,
  adminBasePath: admin,
  adminReadOnly: admin,
  metricsNodeLabels: { what: 'metrics' },
  nsaddrList: { what: 'the list of name servers that clients ask for over HTTP' },
  peers: { what: 'the comparison with other name servers' },
  readyWarmupSeconds: { what: 'readiness over HTTP' },
  adminAclEnable: accessControl,
  adminAclFile: accessControl,
  eventsHistory: { what: 'the history of events' },
};

export const laterOptionNames = Object.keys(laterOptions);

/** The row of a name; `undefined` for any other. */
export function laterOption(name: string): LaterOption | undefined {
  return Object.hasOwn(laterOptions, name) ? laterOptions[name] : undefined;
}
