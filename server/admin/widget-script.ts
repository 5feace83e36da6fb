/** Where pages load the widget from, as the settings and the doctor name it. */
import type { Context } from '../context.ts'
import type { PinnedScript } from '../merchants/channel-settings.ts'
import { pinnedWidget } from '../widget-build.ts'

/** Pinned where the widget is built, else the address of whichever version is current. */
export function currentScript(ctx: Context): { scriptUrl: string; pinned: PinnedScript | undefined } {
  const pinned = pinnedWidget(ctx.baseUrl)
  return { scriptUrl: pinned?.scriptUrl ?? `${ctx.baseUrl}/widget/v1/kassa.js`, pinned }
}
