/** Where pages load the widget from, as the settings and the doctor name it. */

import type { PinnedScript } from '../channels/settings.ts'
import { pinnedWidget } from '../channels/widget-release.ts'
import type { Context } from '../context.ts'

/** Pinned where the widget is built, else the address of whichever version is current. */
export async function currentScript(
  ctx: Context,
): Promise<{ scriptUrl: string; pinned: PinnedScript | undefined }> {
  const pinned = await pinnedWidget(ctx)
  return { scriptUrl: pinned?.scriptUrl ?? `${ctx.baseUrl}/widget/v1/kassa.js`, pinned }
}
