/** A route as people name it: by its provider. The same provider may stand behind two routes, so the route is named too. */
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { findMessage } from '../../messages/translate.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { labelOf } from '../../payments/capability.ts'

export function routeText(locale: Locale, { routes }: Pick<Context, 'routes'>, route: ProviderRoute): string {
  const { driver, driverName } = routes[route]
  if (!driver && !driverName) return route
  // A provider without a text here has the name of a company, which is the same in every language.
  const text = findMessage(locale, `settings.driver.${driverName}`) ?? labelOf(routes[route])
  return `${text} (${route})`
}
