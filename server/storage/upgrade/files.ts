/** The migrations of a release: numbered SQL files. Each names the oldest version of Kassa that can work after it. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { World } from '../../contract/health.ts'
import { VERSION } from '../../version.ts'

/** The schema that both worlds share. */
export const SHARED = 'kassa'
export type Schema = typeof SHARED | World

/** A version of Kassa and the folder of its migrations. Tests invent the next version. */
export type Release = { version: string; folder: URL }
export const THIS_RELEASE: Release = { version: VERSION, folder: new URL('../migrations/', import.meta.url) }

export type MigrationFile = {
  name: string
  text: string
  digest: string
  /** What it does, in a sentence: the comment below its first line. */
  about: string
  /** The oldest version of Kassa that can work on a database with this migration. */
  oldestVersion: string
  /** Its statements, if they build or drop indexes concurrently. PostgreSQL does that only outside a transaction. */
  concurrent: string[] | null
}

const NAME = /^\d{4}_[a-z0-9_]+\.sql$/
const OLDEST_VERSION = /^-- oldest version: (\d+\.\d+\.\d+)$/m
const ABOUT = /^-- oldest version: .*\n((?:[ \t]*-- .*\n?)+)/m
/** The statements that a file without a transaction may contain. After a crash each of them can be repeated. */
const REPEATABLE = /^(create (unique )?index concurrently if not exists|drop index concurrently if exists) /i

/** Returns this release's migrations of a schema, in their order. @throws Error for a file that breaks a rule */
export async function readMigrations(schema: Schema, { folder }: Release): Promise<MigrationFile[]> {
  const place = new URL(schema === SHARED ? 'shared/' : 'world/', folder)
  const names = (await readdir(place)).filter((file) => NAME.test(file)).sort()
  return Promise.all(
    names.map(async (name) => readMigration(name, await readFile(new URL(name, place), 'utf8'))),
  )
}

export function readMigration(name: string, text: string): MigrationFile {
  const oldestVersion = OLDEST_VERSION.exec(text)?.[1]
  if (!oldestVersion)
    throw new Error(
      `Bug! ${name} needs a line such as "-- oldest version: ${VERSION}": the oldest version of Kassa that can work on it.`,
    )
  const statements = splitStatements(text)
  const isConcurrent = statements.some((each) => / concurrently /i.test(each))
  if (isConcurrent && !statements.every((each) => REPEATABLE.test(each)))
    throw new Error(
      `Bug! ${name} may only build or drop indexes concurrently, with "if not exists" or "if exists": it runs without a transaction.`,
    )
  const digest = createHash('sha256').update(text).digest('hex')
  const about = (ABOUT.exec(text)?.[1] ?? '').replaceAll(/\s*-- /g, ' ').trim()
  return { name, text, digest, about, oldestVersion, concurrent: isConcurrent ? statements : null }
}

/** Returns whether version `one` is older than version `other`. */
export function isOlder(one: string, other: string): boolean {
  const [left, right] = [numbersOf(one), numbersOf(other)]
  const at = left.findIndex((number, index) => number !== right[index])
  return at >= 0 && (left[at] ?? 0) < (right[at] ?? 0)
}

const numbersOf = (version: string) => version.split('-')[0]?.split('.').map(Number) ?? []

/** Matches a comment, a text, a quoted name, a function's body, the end of a statement, or anything else. */
const PIECE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^-/'"$;]+|./g

/** Splits the text of a migration. Returns the statements without comments and without the semicolons between them. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let statement = ''
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece === ';') {
      statements.push(statement)
      statement = ''
    } else if (piece.startsWith('--') || piece.startsWith('/*')) statement += ' '
    else statement += piece
  }
  return [...statements, statement].map((each) => each.trim()).filter((each) => each !== '')
}
