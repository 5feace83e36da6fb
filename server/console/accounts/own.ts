/** The account that the address names, if the person may see it. */
import { expectOwn } from '../../access/roles.ts'
import { type AccountView, getAccountView } from '../../accounts/manage.ts'
import { AppError } from '../../errors.ts'
import type { OwnVisit } from '../page.ts'
import { type View, viewOf } from '../world.ts'

/** @throws AppError not_found, for another shop's account too */
export async function findOwn(visit: OwnVisit): Promise<{ view: View; account: AccountView }> {
  const view = await viewOf(visit)
  const id = visit.params.account ?? ''
  if (!/^acc_\w{1,80}$/.test(id)) throw new AppError('not_found')
  const account = await getAccountView(view.ctx, id)
  // The deployment's own accounts are no shop's.
  if (visit.user.merchantId !== null) expectOwn(visit.user, account.owner ?? undefined)
  return { view, account }
}
