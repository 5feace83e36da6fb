/** A file of a statement that somebody looks at in the console, before anything of it is stored. */
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { deleteOldUploads, findUpload, insertUpload } from '../storage/reports/uploads.ts'
import type { StatementFile } from './reading/file.ts'

const HOUR_MS = 3_600_000
const ID_BYTES = 16

/** Returns the id under which the file can be looked at for an hour. */
export async function keepUpload(ctx: Context, accountId: string, bytes: Buffer): Promise<string> {
  await deleteOldUploads(ctx.db, hourAgo(ctx))
  const id = randomBytes(ID_BYTES).toString('base64url')
  await insertUpload(ctx.db, id, accountId, bytes, ctx.clock.now())
  return id
}

/** @throws AppError not_found */
export async function openUpload(ctx: Context, accountId: string, id: string): Promise<StatementFile> {
  const bytes = await findUpload(ctx.db, accountId, id, hourAgo(ctx))
  if (bytes) return inMemory(bytes)
  throw new AppError('not_found', { reason: 'statement_gone', message: 'There is no such upload any more.' })
}

const hourAgo = ({ clock }: Context) => new Date(clock.now().getTime() - HOUR_MS)

function inMemory(bytes: Buffer): StatementFile {
  return { open: () => Readable.from([bytes]) }
}
