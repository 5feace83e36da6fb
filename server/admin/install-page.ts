/** Where whoever builds the site goes on from a public key: its own page, and the links that sell without a button. */
import type { Context } from '../context.ts'

export function installPageUrl({ baseUrl }: Context, publicKey: string): string {
  return `${baseUrl}/install/${publicKey}`
}

export function payLinkPattern({ baseUrl }: Context, publicKey: string): string {
  return `${baseUrl}/pay/${publicKey}/PRODUCT`
}
