/** The branding in results. */
import type { Context } from '../../context.ts'
import type { Branding } from '../../merchants/branding.ts'

export function presentBranding({ baseUrl }: Pick<Context, 'baseUrl'>, { logo, ...branding }: Branding) {
  return { ...branding, ...(logo && { logo: { ...logo, url: `${baseUrl}/pictures/${logo.id}.png` } }) }
}
