/** A statement is uploaded here. It is kept for an hour, in which a person looks at it, answers what it leaves open, and stores it. */
import { keepUpload } from '../../reports/uploads.ts'
import { findOwn } from '../accounts/own.ts'
import type { ConsolePage } from '../page.ts'
import { say } from '../words/say.ts'
import { worldOf } from '../world.ts'
import { accountScreen } from './account.ts'

export const statementForm: ConsolePage = {
  method: 'post',
  path: '/:world/statements/:account',
  needs: 'reconcile statement',
  hasFiles: true,
  async handle(visit) {
    const { locale, files, params } = visit
    const { accountId } = (await findOwn(visit)).account
    const bytes = files.statement
    if (!bytes) return accountScreen(visit, say(locale, 'statementMissing'))
    // An upload is not in the books, so it leaves no row in the log. Storing it does.
    const id = await keepUpload(worldOf(visit), accountId, bytes)
    return { kind: 'redirect', to: `/${params.world}/statements/${accountId}/uploads/${id}` }
  },
}
