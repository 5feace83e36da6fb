/**
 * The list of what was taken back, beside the checkpoints and outside the database. A restore reads it, so that an older backup brings
 * nobody back. Each line is signed and has the digest of the line before.
 * Rule: a revocation never waits for the list. What could not be written stays in the database and is written later.
 */
import { createHash } from 'node:crypto'
import { access, appendFile, mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import {
  findListBegin,
  forgetLinesAfter,
  listUnwrittenRevocations,
  lockRevocations,
  markRevocationWritten,
  measureUnwritten,
  type RevocationRecord,
} from '../storage/audit/revocations.ts'
import { inTransaction } from '../storage/db.ts'
import { checkpointFolder, checkpointKey, isTextSigned, signText } from './checkpoint.ts'

export const REVOCATIONS = 'kassa-revocations.jsonl'
const BATCH = 500
/** The kind of a list's first line. What was taken back before it may be missing. */
const BEGUN = 'list_begun'

/** One line. `line`: counts from 1. `previous`: the digest of the line before; empty for the first. */
export type RevocationLine = Omit<RevocationRecord, 'id'> & {
  line: number
  id: number
  previous: string
  publicKey: string
  signature: string
}

const textOf = ({ signature: _, ...line }: Omit<RevocationLine, 'signature'> & { signature?: string }) =>
  `kassa revocation\n${JSON.stringify(line)}\n`
const digestOf = (line: string) => createHash('sha256').update(line).digest('hex')

/** Where the list is; null if the settings name no place for checkpoints. */
export function revocationsFile(config: Context['config']): string | null {
  const folder = checkpointFolder(config)
  return folder === null ? null : join(folder, REVOCATIONS)
}

/**
 * Writes what is not in the list yet. After a crash between the list and the database a line may stand twice, which is harmless.
 * Returns how many lines were written.
 */
export async function writeRevocations(
  ctx: Pick<Context, 'db' | 'vault' | 'config' | 'log'>,
): Promise<number> {
  const folder = checkpointFolder(ctx.config)
  if (folder === null || (await isUpToDate(ctx, join(folder, REVOCATIONS)))) return 0
  const written = await inTransaction(ctx.db, async (tx) => {
    if (!(await lockRevocations(tx)).isLocked) return []
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, REVOCATIONS)
    const found = await readTail(file)
    // The list was lost, or its end was: what is missing there is written again.
    await forgetLinesAfter(tx, found.line)
    const rows = await listUnwrittenRevocations(tx, BATCH)
    const lines = found.line === 0 ? [begin(ctx, await findListBegin(tx), found)] : []
    for (const row of rows) lines.push(signLine(ctx, row, lines.at(-1) ?? found))
    if (lines.length === 0) return []
    await appendLines(file, lines, found.isTorn)
    const ofRows = lines.slice(lines.length - rows.length)
    for (const [index, row] of rows.entries())
      await markRevocationWritten(tx, row.id, ofRows[index]?.line ?? 0)
    return ofRows.map(({ text }) => text)
  })
  for (const text of written) ctx.log.info({ revocation: JSON.parse(text) }, 'taken back')
  return written.length
}

/** The common case costs one look-up and no lock. */
async function isUpToDate({ db }: Pick<Context, 'db'>, file: string): Promise<boolean> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  return isThere && (await measureUnwritten(db)).count === 0
}

type Signed = { line: number; text: string }
/** The last line that can be read. `isTorn`: a crash has left a part of a line after it. */
type Tail = Signed & { isTorn: boolean }

function begin(ctx: Pick<Context, 'vault'>, at: string, tail: Tail): Signed {
  return signLine(ctx, { id: 0, at, world: null, kind: BEGUN, about: {}, values: {} }, tail)
}

function signLine(ctx: Pick<Context, 'vault'>, row: RevocationRecord, before: Signed): Signed {
  const line = {
    line: before.line + 1,
    ...row,
    previous: before.line === 0 ? '' : digestOf(before.text),
    publicKey: checkpointKey(ctx),
  }
  return { line: line.line, text: JSON.stringify({ ...line, signature: signText(ctx, textOf(line)) }) }
}

async function readTail(file: string): Promise<Tail> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const whole = text.split('\n').filter((line) => parseLine(line) !== null)
  const last = whole.at(-1)
  return {
    line: last ? (parseLine(last)?.line ?? 0) : 0,
    text: last ?? '',
    isTorn: text !== '' && !text.endsWith('\n'),
  }
}

async function appendLines(file: string, lines: readonly Signed[], isTorn: boolean): Promise<void> {
  const text = `${isTorn ? '\n' : ''}${lines.map((line) => `${line.text}\n`).join('')}`
  await appendFile(file, text, { mode: 0o600 })
  const handle = await open(file, 'r')
  await handle.sync().finally(() => handle.close())
}

function parseLine(text: string): RevocationLine | null {
  try {
    const { revocation = null, ...own } = JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '')
    const line = revocation ?? own
    return Number.isSafeInteger(line.line) &&
      typeof line.kind === 'string' &&
      typeof line.signature === 'string'
      ? line
      : null
  } catch {
    return null
  }
}

/** `faults`: what is wrong with the list, and where. `begunAt`: what was taken back before may be missing; null if nothing can be read. */
export type RevocationList = { lines: RevocationLine[]; begunAt: string | null; faults: string[] }

/**
 * Reads a list, or a log of the service with its lines. Every line that is signed counts, also in a list with faults. `expected`: the
 * number of lines that a checkpoint names. `keys`: public keys that count.
 */
export function parseRevocations(
  text: string,
  { name, keys, expected = 0 }: { name: string; keys: readonly string[]; expected?: number },
): RevocationList {
  const list: RevocationList = { lines: [], begunAt: null, faults: [] }
  let before: { line: number; digest: string } = { line: 0, digest: '' }
  // A crash leaves a part of a line, and the writer goes on after it with the same number.
  let unreadable: string[] = []
  for (const [index, raw] of text.split('\n').entries()) {
    const place = `${name}, line ${index + 1}`
    if (raw.trim() === '') continue
    const line = parseLine(raw)
    if (!line) {
      unreadable.push(`${place}: it cannot be read. It was changed, or a crash has cut it off.`)
      continue
    }
    if (!keys.includes(line.publicKey) || !isTextSigned(textOf(line), line)) {
      list.faults.push(
        `${place}: its signature is not this deployment's. The line was changed, or somebody else has written it.`,
      )
      continue
    }
    const isNext = line.line === before.line + 1 && line.previous === before.digest
    if (!isNext) list.faults.push(...unreadable)
    unreadable = []
    if (line.line !== before.line + 1)
      list.faults.push(
        `${place}: it has the number ${line.line}, and ${before.line + 1} was expected. Lines are missing before it.`,
      )
    else if (!isNext)
      list.faults.push(`${place}: it does not follow the line before, which was changed or exchanged.`)
    before = { line: line.line, digest: digestOf(raw.trim()) }
    if (line.kind === BEGUN) list.begunAt ??= line.at
    else list.lines.push(line)
  }
  list.faults.push(...unreadable)
  if (before.line < expected)
    list.faults.push(
      `${name}: it ends with the number ${before.line}, and a checkpoint names ${expected}. Its end was cut off.`,
    )
  return list
}
