/** The onboarding step that only the operator can do: an account must take the merchant's live payments. */
import { listUsable } from '../accounts/choice.ts'
import type { Context, Worlds } from '../context.ts'
import { PROVIDER_ROUTES } from '../contract/fields.ts'

export type AccountStep = { title: string; done: boolean; detail: string; routes: string[] }

/**
 * Returns the step, or null if no live world is served. The step does not block a live token. Without an account each live
 * payment is rejected with the reason.
 */
export async function findAccountStep({ live }: Worlds, merchantId: string): Promise<AccountStep | null> {
  if (!live) return null
  const routes = await listUsableRoutes(live, merchantId)
  const title = "A provider account takes the merchant's live payments"
  if (routes.length === 0)
    return {
      title,
      done: false,
      routes,
      detail: 'No live account is open to the merchant, so every live payment is refused.',
    }
  return { title, done: true, routes, detail: `The merchant can be paid on ${routes.join(', ')}.` }
}

async function listUsableRoutes(live: Context, merchantId: string): Promise<string[]> {
  const usable = await Promise.all(PROVIDER_ROUTES.map((route) => listUsable(live, merchantId, route)))
  return PROVIDER_ROUTES.filter((_, index) => (usable[index] ?? []).length > 0)
}
