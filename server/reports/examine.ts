/** Looks at a statement before anything of it is stored: how it is understood, what must be asked, and what it says. */
import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { TIME_ZONE } from '../contract/time-zone.ts'
import { AppError } from '../errors.ts'
import { findBranding } from '../storage/merchants/branding.ts'
import {
  findAnswers,
  findStatementFormat,
  markOfStatements,
  saveStatementFormat,
} from '../storage/reports/files.ts'
import { expectAccount } from './account.ts'
import { type PlacedStatementLine, placeLines } from './place.ts'
import type { StatementFile } from './reading/file.ts'
import { StatementFormat } from './reading/format.ts'
import { type Preview, previewOf } from './reading/preview.ts'
import type { Answers } from './reading/question.ts'
import type { ReadyName } from './reading/ready.ts'
import { type Understanding, understand } from './reading/understand.ts'

/**
 * `preview`: null while a question is open. `changed`: lines that another statement has with another amount. It must be named as
 * replaced, or nothing is stored.
 */
export type Examined = {
  digest: string
  /**
   * Identifies the account's statements of this moment. It is compared when the lines are stored, because another statement may have been
   * read meanwhile.
   */
  mark: string
  replaces: string[]
  answers: Answers
  understanding: Understanding
  preview: Preview | null
  changed: ChangedLine[]
}
/** `replaces`: the digests of statements whose lines this one has anew. */
export type StatementInput = {
  file: StatementFile
  format: ReadyName | undefined
  answers: Answers
  replaces?: string[]
}

/** @throws AppError not_found without such an account, validation_failed for a file that cannot be read */
export async function examineStatement(
  ctx: Context,
  accountId: string,
  { file, format, answers, replaces = [] }: StatementInput,
): Promise<Examined> {
  const owner = await expectAccount(ctx, accountId)
  const mark = await markOfStatements(ctx.db, accountId)
  const understanding = await understand(file, {
    own: StatementFormat.safeParse(await findStatementFormat(ctx.db, accountId)).data ?? null,
    chosenFormat: format,
    answersOf: async (head) =>
      withNewest((await findAnswers(ctx.db, accountId, head)) as Answers | null, answers),
    timeZone: await zoneOf(ctx, owner),
    now: ctx.clock.now(),
  })
  const digest = await digestOf(file)
  const base = { digest, mark, replaces, answers, understanding, preview: null, changed: [] }
  if (understanding.questions.length > 0) return base
  const changed: ChangedLine[] = []
  const { preview, sameIds } = await previewOf(understanding, async (page) => {
    if (changed.length > 0) return
    changed.push(...changedIn(await placeLines(ctx, accountId, page), [digest, ...replaces]))
  })
  if (sameIds.length === 0 || understanding.format.equalIds === 'both') return { ...base, preview, changed }
  understanding.questions.push({ about: 'equalIds', lines: sameIds })
  return base
}

/** Who answers about words again has seen those of this file. */
function withNewest(known: Answers | null, given: Answers): Answers {
  const { wordsKnown, ...others } = known ?? {}
  const isAnew = given.credit !== undefined || given.statuses !== undefined
  return { ...others, ...(wordsKnown && !isAnew && { wordsKnown }), ...given }
}

/** A line of the file that other files have with another amount. `digests`: of those files. */
export type ChangedLine = {
  line: number
  amountMinor: number
  currency: string
  storedMinor: number
  storedCurrency: string
  digests: string[]
}
const CHANGED_SHOWN = 5

function changedIn(page: readonly PlacedStatementLine[], replaced: readonly string[]): ChangedLine[] {
  const changed = page.flatMap(({ line: { line, amountMinor, currency }, stored, contents }) => {
    const digests = contents.map(({ digest }) => digest).filter((each) => !replaced.includes(each))
    if (
      !stored ||
      digests.length === 0 ||
      (stored.amountMinor === amountMinor && stored.currency === currency)
    )
      return []
    const { amountMinor: storedMinor, currency: storedCurrency } = stored
    return [{ line, amountMinor, currency, storedMinor, storedCurrency, digests }]
  })
  return changed.slice(0, CHANGED_SHOWN)
}

export async function digestOf(file: StatementFile): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of file.open()) hash.update(chunk)
  return hash.digest('hex')
}

/** Looks at a file without an account: the columns and the questions. @throws AppError validation_failed */
export function examineFile(ctx: Context, file: StatementFile): Promise<Understanding> {
  return understand(file, {
    own: null,
    chosenFormat: undefined,
    answersOf: async () => ({}),
    timeZone: TIME_ZONE,
    now: ctx.clock.now(),
  })
}

/** The days of a bank's statement are those of the shop. */
async function zoneOf(ctx: Context, owner: string | null): Promise<string> {
  const found = owner === null ? null : await findBranding(ctx.db, owner)
  return found?.branding.timeZone ?? TIME_ZONE
}

/** Keeps the format for all later statements of the account. @throws AppError validation_failed, not_found */
export async function setStatementFormat(
  ctx: Context,
  accountId: string,
  given: unknown,
): Promise<StatementFormat> {
  await expectAccount(ctx, accountId)
  const format = StatementFormat.safeParse(given)
  if (!format.success)
    throw new AppError('validation_failed', {
      reason: 'statement_format',
      message: format.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'),
    })
  await saveStatementFormat(ctx.db, accountId, format.data, ctx.clock.now())
  return format.data
}
