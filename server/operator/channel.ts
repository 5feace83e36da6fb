/** An installation with everything that a site builder gets for it. */
import { type ChannelSettings, describeChannel } from '../channels/settings.ts'
import { pinnedWidget } from '../channels/widget-release.ts'
import type { Context } from '../context.ts'
import { getInstallation, type InstallationRecord } from '../merchants/installation.ts'
import { listProducts } from '../merchants/product.ts'

/** `id`: the installation's id or its public key. @throws AppError not_found */
export async function getChannel(
  ctx: Context,
  id: string,
): Promise<{ installation: InstallationRecord; channel: ChannelSettings }> {
  const installation = await getInstallation(ctx, id)
  const products = await listProducts(ctx, installation.merchantId)
  const pinned = await pinnedWidget(ctx)
  return { installation, channel: await describeChannel(ctx, installation, { pinned, products }) }
}
