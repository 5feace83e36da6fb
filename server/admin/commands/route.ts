/** `route`: the provider routes. */
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { listRoutes } from '../../operator/routes.ts'
import { type Noun, verb } from '../command.ts'
import { paragraphs, table } from '../layout.ts'

/** The warning for an operator who names a route that is not ready; null if there is nothing to warn about. */
export function routeWarning({ routes }: Context, named: ProviderRoute | undefined): string | null {
  const route = named && routes[named]
  if (!route || route.driver) return null
  return `Warning: ${named} is not ready, so payments on it are rejected. ${route.reason} Then restart the service.`
}

const list = verb({
  name: 'list',
  summary: 'List the routes: driver, readiness and missing settings of each',
  flags: {},
  examples: [''],
  async run(ctx) {
    const { mode } = ctx.config
    const routes = listRoutes(ctx)
    const rows = routes.map(({ route, driver, label, ready, currencies, reason, ...each }) => [
      each.default ? `${route} (default)` : route,
      driver ?? '-',
      ready ? 'ready' : 'not ready',
      ready ? `${label}: ${currencies.join(', ')}` : reason,
    ])
    const text = paragraphs(
      table(['Route', 'Driver', 'State', ''], rows),
      `The service runs in ${mode} mode. The routes are set in its environment, so a change needs a restart.`,
    )
    return { json: { mode, routes }, text }
  },
})

export const route: Noun = {
  name: 'route',
  summary: 'Show provider routes and what each one is missing',
  verbs: [list],
}
