/** Looks at a statement before anything of it is stored: how it is understood, what must be asked, and what it says. */
import type { Context } from '../context.ts'
import { TIME_ZONE } from '../contract/time-zone.ts'
import { AppError } from '../errors.ts'
import { findBranding } from '../storage/merchants/branding.ts'
import { findStatementFormat, saveStatementFormat } from '../storage/reports/formats.ts'
import { expectAccount } from './account.ts'
import type { StatementFile } from './reading/file.ts'
import { StatementFormat } from './reading/format.ts'
import { type Preview, previewOf } from './reading/preview.ts'
import type { Answers } from './reading/question.ts'
import type { ReadyName } from './reading/ready.ts'
import { type Understanding, understand } from './reading/understand.ts'

/** `preview`: null while a question is open. */
export type Examined = { file: StatementFile; understanding: Understanding; preview: Preview | null }
export type ToExamine = { file: StatementFile; format: ReadyName | undefined; answers: Answers }

/** @throws AppError not_found without such an account, validation_failed for a file that cannot be read */
export async function examineStatement(
  ctx: Context,
  accountId: string,
  { file, format, answers }: ToExamine,
): Promise<Examined> {
  const owner = await expectAccount(ctx, accountId)
  const understanding = await understand(file, {
    own: StatementFormat.safeParse(await findStatementFormat(ctx.db, accountId)).data ?? null,
    asked: format,
    answersOf: async () => answers,
    timeZone: await zoneOf(ctx, owner),
  })
  const isClear = understanding.questions.length === 0
  return { file, understanding, preview: isClear ? await previewOf(understanding) : null }
}

/** Looks at a file without an account: the columns and the questions. @throws AppError validation_failed */
export function examineFile(file: StatementFile): Promise<Understanding> {
  return understand(file, {
    own: null,
    asked: undefined,
    answersOf: async () => ({}),
    timeZone: TIME_ZONE,
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
