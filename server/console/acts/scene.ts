/** What an act is about: a shop, the deployment, an account, or a payment. */
import { actAs, note } from '../../access/acting.ts'
import type { Context } from '../../context.ts'
import { isId } from '../../id.ts'
import { findOwn } from '../accounts/own.ts'
import type { OwnVisit } from '../page.ts'
import { translate } from '../words/translate.ts'
import { shopOf, viewOf, worldOf } from '../world.ts'
import type { FormAct, Given, Place, Scene, Seen } from './act.ts'

/** The addresses of the screens that lead to the acts. The acts follow. */
export const BASES: Record<Place, string> = {
  shop: '/:world/shops/:merchant/settings',
  deployment: '/:world/settings',
  account: '/:world/accounts/:account',
  payment: '/:world/payments/:id',
}

const SCENES: Record<Place, (visit: OwnVisit) => Promise<Scene>> = {
  async shop(visit) {
    const { ctx, merchant, merchantId, path, timeZone } = await shopOf(visit)
    const named = { about: merchantId, merchantId, name: merchant.name }
    return { visit, ctx, place: 'shop', ...named, path: `${path}/settings`, timeZone }
  },
  async deployment(visit) {
    const { ctx, world, timeZone } = await viewOf(visit)
    const named = { about: 'deployment', merchantId: null, name: translate(visit.locale, 'deploymentTitle') }
    return { visit, ctx, place: 'deployment', ...named, path: `/${world}/settings`, timeZone }
  },
  async account(visit) {
    const { view, account } = await findOwn(visit)
    const { accountId, driver, route, owner } = account
    const named = {
      about: accountId,
      merchantId: owner,
      name: translate(visit.locale, 'accountTitle', { driver, route }),
    }
    const path = `/${view.world}/accounts/${accountId}`
    return { visit, ctx: view.ctx, place: 'account', ...named, path, timeZone: view.timeZone }
  },
  // What is present says whether the payment is one of the person's own.
  async payment(visit) {
    const { ctx, world, timeZone, merchantId } = await viewOf(visit)
    const { id = '' } = visit.params
    const named = { about: id, merchantId, name: translate(visit.locale, 'backToPayment') }
    return { visit, ctx, place: 'payment', ...named, path: `/${world}/payments/${id}`, timeZone }
  },
}

/** @throws AppError not_found */
export const sceneOf = (place: Place, visit: OwnVisit): Promise<Scene> => SCENES[place](visit)

/** The world for what the person does. Each write leaves the row that the command would leave. */
export const acting = (seen: Seen, act: FormAct, given: Given): Context =>
  actAs(worldOf(seen.visit), actorOf(seen), rowOf(seen, act, given)).ctx

/** The world for an act that has one row before it, because all that follows is the service's own work. */
export async function noted(seen: Seen, act: FormAct, given: Given): Promise<Context> {
  const ctx = worldOf(seen.visit)
  await note(ctx, actorOf(seen), rowOf(seen, act, given))
  return ctx
}

const actorOf = ({ visit: { user }, merchantId }: Seen) => ({ ...user, merchantId })

/** It names no secret. */
function rowOf(seen: Seen, act: FormAct, given: Given) {
  const { visit, place, about } = seen
  const fields = act.fields(seen)
  const isSecret = (name: string) => fields.some((field) => field.name === name && field.kind === 'secret')
  const open = Object.entries(given).flatMap(([name, text]) => (isSecret(name) ? [] : [text]))
  const ids = [...(place === 'deployment' ? [] : [about]), ...open.filter(isId)]
  return { address: visit.address, what: act.what, about: [...new Set(ids)].join(' ') }
}
