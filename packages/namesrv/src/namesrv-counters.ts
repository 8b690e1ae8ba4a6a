/** What a name server has done so far. */
export interface NamesrvCounters {
  /** Registrations (103) whose body was read. */
  registrationsRead: number;
  /** Registrations whose body was known to change nothing, and so not read. */
  registrationsUnchanged: number;
}
