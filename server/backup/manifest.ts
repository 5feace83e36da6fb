/** The manifest of a backup: its contents, and the values that a restore must find again. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { BackupKey } from './key.ts'

export const MANIFEST = 'manifest.json'
/** The Ed25519 signature of the manifest's bytes, and the public key for people who check it with a tool of their own. */
export const SIGNATURE = 'manifest.json.sig'
export const PUBLIC_KEY = 'signed-by.pem'
export const METHOD = 'stream-1'
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
  /** Absent: the files are not encrypted, and the manifest is not signed. `keyId`: of BACKUP_KEY. `salt`: base64. */
  sealing: z.strictObject({ method: z.literal(METHOD), keyId: z.string(), salt: z.string() }).optional(),
})

export type Manifest = z.output<typeof Manifest>
export type Sum = z.output<typeof Sum>
export type TableEntry = z.output<typeof TableEntry>

export const fileOf = ({ schema, name }: Pick<TableEntry, 'schema' | 'name'>, isSealed: boolean) =>
  `${schema}.${name}.gz${isSealed ? '.sealed' : ''}`

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

/** A manifest with the key that its files are encrypted under; null if they are not. */
export type Checked = { manifest: Manifest; key: BackupKey | null }

/**
 * `keys`: those of BACKUP_KEY. With any of them a backup that is not signed is refused, unless `unsigned` says that this is known.
 * @throws AppError validation_failed, those of readManifest, and if the manifest is not signed by the key that it names
 */
export async function checkManifest(
  directory: string,
  { keys, unsigned }: { keys: readonly BackupKey[]; unsigned: boolean },
): Promise<Checked> {
  const manifest = await readManifest(directory)
  const { sealing } = manifest
  if (!sealing && (keys.length === 0 || unsigned)) return { manifest, key: null }
  if (!sealing)
    throw unfit(
      `${directory} is neither encrypted nor signed, although BACKUP_KEY is set, so anybody may have made it. If it was made before BACKUP_KEY was set, add --unsigned.`,
    )
  const key = keys.find(({ id }) => id === sealing.keyId)
  if (!key)
    throw unfit(
      `${directory} is encrypted under the backup key ${sealing.keyId}, which is not in BACKUP_KEY. Add that key behind the newer one.`,
    )
  const bytes = await readFile(join(directory, MANIFEST))
  const signature = await readFile(join(directory, SIGNATURE)).catch(() => Buffer.alloc(0))
  if (!key.isSigned(bytes, signature))
    throw unfit(
      `${join(directory, MANIFEST)} was changed, or its signature ${SIGNATURE} is missing. Use another copy of this backup, or another backup.`,
    )
  return { manifest, key }
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
