/** At least one of these hooks: a row of faults without a hook does not compile, because it would do nothing. */
export type SomeOf<Hooks> = { [Name in keyof Hooks]: Pick<Hooks, Name> & Partial<Hooks> }[keyof Hooks]
