/** Comparing a statement with the books. The service knows each line that it has read, so the same file again changes nothing. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { type Examined, examineStatement } from '../../reports/examine.ts'
import { inMemory } from '../../reports/in-memory.ts'
import type { StatementFile } from '../../reports/reading/file.ts'
import { reconcile } from '../../reports/reconcile.ts'
import type { ConsolePage } from '../page.ts'
import { refusalOf } from '../refusals.ts'
import { say } from '../words/say.ts'
import { writing } from '../world.ts'
import { accountScreen } from './account.ts'
import { columnsScreen } from './columns.ts'
import { sealResult } from './result.ts'

export const statementForm: ConsolePage = {
  method: 'post',
  path: '/:world/statements/:account',
  needs: 'reconcile statement',
  hasFiles: true,
  async handle(visit) {
    const { locale, params, files, form } = visit
    const accountId = params.account ?? ''
    const bytes = files.statement
    if (!bytes) return accountScreen(visit, say(locale, 'statementMissing'))
    const file = inMemory(bytes)
    try {
      const ctx = writing(visit, 'reconcile statement', accountId)
      const mayReplace = form.replace === 'yes'
      const examined = await examineReplacing(ctx, accountId, { file, mayReplace })
      const [question] = examined.understanding.questions
      if (question) return columnsScreen(visit, file)
      const result = await reconcile(ctx, accountId, examined, { by: visit.user.name })
      // A person who comes back from a difference must not be asked to send the file again.
      const query = new URLSearchParams({ result: sealResult(ctx, accountId, result) })
      return { kind: 'redirect', to: `/${params.world}/statements/${accountId}?${query}` }
    } catch (error) {
      if (error instanceof AppError && error.details.reason === 'statement_columns')
        return columnsScreen(visit, file)
      return accountScreen(visit, refusalOf(locale, error))
    }
  },
}

/** Files that one upload may replace. */
const REPLACED_MAX = 20

/** A corrected statement replaces those that have its lines with other amounts, if the person has said so. */
async function examineReplacing(
  ctx: Context,
  accountId: string,
  { file, mayReplace }: { file: StatementFile; mayReplace: boolean },
): Promise<Examined> {
  let replaces: string[] = []
  for (;;) {
    const examined = await examineStatement(ctx, accountId, {
      file,
      format: undefined,
      answers: {},
      replaces,
    })
    const others = examined.changed.flatMap(({ digests }) => digests)
    if (!mayReplace || others.length === 0 || replaces.length > REPLACED_MAX) return examined
    replaces = [...new Set([...replaces, ...others])]
  }
}
