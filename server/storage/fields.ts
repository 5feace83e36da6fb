/**
 * The columns of a table that a record has, named once. A field has the name of its column in camel case, and the type that the
 * column has in `rows.ts`.
 */
import type { Rows } from './rows.ts'

type Table = keyof Rows
type Field<Of extends Table> = keyof Rows[Of] & string
export type RecordOf<Of extends Table, Fields extends readonly Field<Of>[]> = Pick<Rows[Of], Fields[number]>

/** Lists fields of a table. The compiler refuses a name that is no column. */
export function fieldsOf<Of extends Table, const Fields extends readonly Field<Of>[]>(
  _table: Of,
  fields: Fields,
): Fields {
  return fields
}

const columnOf = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns what a statement selects, such as `e.merchant_id as "merchantId", e.id`. `alias`: the table's in the statement. */
export function selected(fields: readonly string[], alias?: string): string {
  const named = fields.map((field) => {
    const column = columnOf(field)
    const place = alias === undefined ? column : `${alias}.${column}`
    return column === field ? place : `${place} as "${field}"`
  })
  return named.join(', ')
}

/** Returns a statement that inserts a record. Its values are those of `valuesOf` with the same fields. */
export function insertInto(table: Table, fields: readonly string[]): string {
  const places = fields.map((_, at) => `$${at + 1}`)
  return `insert into world.${table} (${fields.map(columnOf).join(', ')}) values (${places.join(', ')})`
}

/** Returns the values of these fields, in their order. */
export function valuesOf<Of extends Table, Name extends Field<Of>>(
  _table: Of,
  fields: readonly Name[],
): (record: Pick<Rows[Of], Name>) => unknown[] {
  return (record) => fields.map((field) => record[field])
}
