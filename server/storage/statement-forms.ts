/**
 * The functions that a statement becomes. Each form says what is made of the rows, and gets how the arguments of the function
 * become the values of the statement. Without that, the function has no arguments besides the Db or Tx.
 */
type Query<Db, Row> = (db: Db, values: unknown[]) => Promise<Row[]>
type ValuesOf<Args extends unknown[]> = (...args: Args) => unknown[]

export function formsOf<Db, Row>(query: Query<Db, Row>) {
  const form =
    <Result>(made: (rows: Row[]) => Result) =>
    <Args extends unknown[] = []>(valuesOf: ValuesOf<Args> = () => []) =>
    async (db: Db, ...args: Args): Promise<Result> =>
      made(await query(db, valuesOf(...args)))
  return {
    run: form((): void => {}),
    all: form((rows) => rows),
    /** The first row, or null if there is none. */
    first: form((rows) => rows[0] ?? null),
    /** The row of a statement that always returns one. */
    row: form((rows) => rows[0] as Row),
    /** Whether there is a row. */
    some: form((rows) => rows.length > 0),
    count: form((rows) => rows.length),
    /** One member of the first row, or `absent` if there is no row or the member is null. */
    value: <Name extends keyof Row, Absent, Args extends unknown[] = []>(
      name: Name,
      absent: Absent,
      valuesOf?: ValuesOf<Args>,
    ) => form((rows): NonNullable<Row[Name]> | Absent => rows[0]?.[name] ?? absent)(valuesOf),
  }
}
