/**
 * The columns of a table that a record has, named once. A field has the name of its column in camel case, and the type that the
 * column has in `rows.ts`. `savedMethodId as tokenId`: the field has another name.
 */
import type { Rows } from './rows.ts'

type Table = keyof Rows
type Column<Of extends Table> = keyof Rows[Of] & string
type Field<Of extends Table> = Column<Of> | `${Column<Of>} as ${string}`
type NameOf<Each> = Each extends `${string} as ${infer Name}` ? Name : Each
type ColumnOf<Each> = Each extends `${infer Name} as ${string}` ? Name : Each

/** `Narrower`: the types of fields of which the service knows more than the database. */
export type RecordOf<
  Of extends Table,
  Fields extends readonly Field<Of>[],
  Narrower extends Partial<Record<NameOf<Fields[number]>, unknown>> = object,
> = {
  [Each in Fields[number] as NameOf<Each>]: NameOf<Each> extends keyof Narrower
    ? Narrower[NameOf<Each>]
    : Rows[Of][ColumnOf<Each> & keyof Rows[Of]]
}

/** Lists fields of a table. The compiler rejects a name that is not a column. */
export function fieldsOf<Of extends Table, const Fields extends readonly Field<Of>[]>(
  _table: Of,
  fields: Fields,
): Fields {
  return fields
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the name of a field in the record, and its column. */
export function fieldOf(field: string): { name: string; column: string } {
  const [own = field, name = own] = field.split(' as ')
  return { name, column: snake(own) }
}

const placeOf = (field: string, alias?: string): string =>
  alias === undefined ? fieldOf(field).column : `${alias}.${fieldOf(field).column}`

/** Returns what a statement selects, such as `e.merchant_id as "merchantId", e.id`. `alias`: the table's in the statement. */
export function selected(fields: readonly string[], alias?: string): string {
  const named = fields.map((field) => {
    const { name, column } = fieldOf(field)
    return column === name ? placeOf(field, alias) : `${placeOf(field, alias)} as "${name}"`
  })
  return named.join(', ')
}

/** Returns a statement that inserts a record. Its values are those of `valuesOf` with the same fields. */
export function insertInto(table: Table, fields: readonly string[]): string {
  const columns = fields.map((field) => fieldOf(field).column)
  const places = fields.map((_, at) => `$${at + 1}`)
  return `insert into world.${table} (${columns.join(', ')}) values (${places.join(', ')})`
}

/** Returns the values of these fields, in their order. */
export function valuesOf<Of extends Table, const Fields extends readonly Field<Of>[]>(
  _table: Of,
  fields: Fields,
): (record: RecordOf<Of, Fields>) => unknown[] {
  const names = fields.map((field) => fieldOf(field).name)
  return (record) => names.map((name) => record[name as keyof typeof record])
}

/** Returns what `on conflict do update set` writes: each of these columns as the new row has it. */
export function replaced(fields: readonly string[]): string {
  return fields
    .map((field) => fieldOf(field).column)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')
}

/** Returns an expression that makes a JSON object of these fields. `alias`: the table's in the statement. */
export function asJson(fields: readonly string[], alias?: string): string {
  const members = fields.map((field) => `'${fieldOf(field).name}', ${placeOf(field, alias)}`)
  return `json_build_object(${members.join(', ')})`
}
