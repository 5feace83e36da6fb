/** A statement is uploaded here. It is kept for an hour, in which a person looks at it, answers what it leaves open, and stores it. */
import { AppError } from '../../errors.ts'
import { keepUpload } from '../../reports/uploads.ts'
import { findOwn } from '../accounts/own.ts'
import { formPage } from '../form-page.ts'
import { worldOf } from '../world.ts'
import { accountScreen } from './account.ts'

export const statementForm = formPage({
  path: '/:world/statements/:account',
  needs: 'reconcile statement',
  hasFiles: true,
  again: accountScreen,
  async send(visit) {
    const { file, params } = visit
    const { accountId } = (await findOwn(visit)).account
    const bytes = file('statement')
    if (!bytes) throw new AppError('validation_failed', { errors: { statement: 'is missing' } })
    // An upload is not in the books, so it leaves no row in the log. Storing it does.
    const id = await keepUpload(worldOf(visit), accountId, bytes)
    return `/${params.world}/statements/${accountId}/uploads/${id}`
  },
})
