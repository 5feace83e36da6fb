import { describeChannel } from '../../merchants/channel-settings.ts'
import { findActiveInstallation } from '../../merchants/installation.ts'
import { pinnedWidget } from '../../widget-release.ts'
import { readChoice } from './install-choice.ts'
import { examine } from './install-doctor.ts'
import { installPage, unknownKeyPage } from './install-page.ts'
import type { PageEndpoint } from './page-endpoint.ts'

/** The public key is the way in, as it stands in every page that uses it; what is shown there is no secret either. */
export const install: PageEndpoint = {
  method: 'get',
  path: '/install/:publicKey',
  async handle(ctx, { params, query, locale, localeLinks }) {
    const view = { locale, localeLinks, mode: ctx.config.mode }
    const installation = await findActiveInstallation(ctx, params.publicKey ?? '')
    if (!installation) return { kind: 'page', status: 404, html: unknownKeyPage(view) }
    const channel = await describeChannel(ctx, installation, await pinnedWidget(ctx))
    const choice = readChoice(channel, query, locale)
    const examination = examine(installation, channel, query)
    return { kind: 'page', html: installPage({ ...view, channel, choice, query, examination }) }
  },
}
