/** The format of an account's statements: the one that a person has described, else the ready one that fits. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { findStatementFormat, saveStatementFormat } from '../storage/reports/formats.ts'
import { expectAccount } from './account.ts'
import {
  findMissingColumns,
  READY_NAMES,
  type ReadyName,
  readyFormat,
  StatementFormat,
} from './statement-format.ts'
import { readColumns, type StatementFile } from './statement-lines.ts'

export async function formatFor(
  ctx: Context,
  accountId: string,
  file: StatementFile,
  asked: ReadyName | undefined,
): Promise<{ name: ReadyName | 'own'; format: StatementFormat; separator: string }> {
  const { columns, separator, ready } = await readColumns(file)
  if (asked) return { name: asked, format: readyFormat(asked), separator }
  const own = StatementFormat.safeParse(await findStatementFormat(ctx.db, accountId)).data
  // An account may have statements of two kinds, of its provider and of its bank.
  if (own && (findMissingColumns(own, columns).length === 0 || !ready))
    return { name: 'own', format: own, separator }
  if (ready) return { name: ready, format: readyFormat(ready), separator }
  throw new AppError('validation_failed', {
    reason: 'statement_columns',
    message: `These columns are not known: ${columns.join(', ')}. Say once what they are. Ready formats are ${READY_NAMES.join(', ')}.`,
  })
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
