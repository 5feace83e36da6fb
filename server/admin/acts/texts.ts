/** The texts of the commands that are made from rows: `messages/en/cli.json`, by the names of the rows. */
import { formOf, nounOf } from '../../acts/act.ts'
import { findMessage, translateAny } from '../../messages/translate.ts'

export type NamedAct = { name: string; form?: string }

/** Returns the text of the catalogue; undefined if there is none. */
export const textOf = (key: string): string | undefined => findMessage('en', `cli.${key}`)

/** @throws Error for a row without a text, as soon as the program starts */
export function keyOf(key: string): string {
  if (textOf(key) === undefined) throw new Error(`Bug! Add "${key}" to server/messages/en/cli.json.`)
  return `cli.${key}`
}
export const needed = (key: string): string => translateAny('en', keyOf(key))

/** Returns the key of a text of the act itself, or of that of all acts on the noun. */
export const keyIn = (row: NamedAct, name: string): string =>
  textOf(`${formOf(row)}.${name}`) === undefined ? `${nounOf(row)}.${name}` : `${formOf(row)}.${name}`
