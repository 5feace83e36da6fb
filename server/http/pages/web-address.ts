/**
 * The only way an address gets into a page. Escaping keeps an address inside its attribute, but does not
 * stop `javascript:` from running when it is clicked, so anything but http and https is dropped here.
 */
export function webAddress(address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined
  const parsed = new URL(address)
  return parsed.protocol === 'https:' || parsed.protocol === 'http:' ? parsed.href : undefined
}

/** As `webAddress`, and a path on our own host too. `//host` and `/\host` leave the host, so they are dropped. */
export function ownOrWebAddress(address: string): string | undefined {
  return /^\/(?![/\\])[!-~]*$/.test(address) ? address : webAddress(address)
}

/** A telephone number to call. Everything but digits and a leading plus is dropped. */
export function phoneAddress(phone: string): string {
  return `tel:${phone.trim().startsWith('+') ? '+' : ''}${phone.replaceAll(/\D/g, '')}`
}

export function mailAddress(email: string): string {
  return `mailto:${email.split('@').map(encodeURIComponent).join('@')}`
}
