/** The manifest of a backup: its contents, and the values that a restore must find again. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../errors.ts'

export const MANIFEST = 'manifest.json'
const FORMAT = 1

const Name = z.string().regex(/^[a-z_][a-z0-9_]*$/)

const TableEntry = z.strictObject({
  schema: Name,
  name: Name,
  columns: z.array(z.string().regex(/^("[^"]+"|[a-z_][a-z0-9_]*)$/)).min(1),
  rows: z.int().nonnegative(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
})

/** Sums of money by world, status and currency, in minor units. They are text, because they may exceed 2^53. */
const Sum = z.strictObject({
  world: z.enum(['sandbox', 'live']),
  status: z.string(),
  currency: z.string(),
  payments: z.int(),
  amountMinor: z.string(),
  capturedMinor: z.string(),
  refundedMinor: z.string(),
})

const Manifest = z.strictObject({
  format: z.literal(FORMAT),
  version: z.string(),
  createdAt: z.iso.datetime(),
  worlds: z.array(z.enum(['sandbox', 'live'])).min(1),
  migrations: z.array(z.strictObject({ schema: Name, name: z.string(), digest: z.string() })).min(1),
  tables: z.array(TableEntry).min(1),
  sums: z.array(Sum),
  sequences: z.array(z.strictObject({ schema: Name, name: Name, last: z.string().regex(/^\d{1,19}$/) })),
  /** The ids of the keys that encrypt secrets in these tables. The keys themselves are not in a backup. */
  keyIds: z.array(z.string()),
})

export type Manifest = z.output<typeof Manifest>
export type Sum = z.output<typeof Sum>
export type TableEntry = z.output<typeof TableEntry>

export const fileOf = ({ schema, name }: Pick<TableEntry, 'schema' | 'name'>) => `${schema}.${name}.gz`

/** @throws AppError validation_failed if the directory is not a complete backup, or has the format of a newer version */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, MANIFEST), 'utf8').catch(() => null)
  if (text === null)
    throw unfit(
      `${directory} is not a backup, because it has no ${MANIFEST}. The name of an interrupted backup ends in .partial, and it cannot be restored.`,
    )
  const parsed = Manifest.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw unfit(
    `${join(directory, MANIFEST)} is damaged, or was written by a newer version: ${z.prettifyError(parsed.error)}`,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function unfit(message: string): AppError {
  return new AppError('validation_failed', { message })
}
