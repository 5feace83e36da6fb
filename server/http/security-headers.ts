/**
 * The headers that keep browsers safe, on every response: one strict policy for all of them, and wider ones for the pages that
 * need more. Each set is computed once by helmet, because raw responses need the same headers and have no middleware.
 */
import express, { type RequestHandler, type Response } from 'express'
import helmet, { type HelmetOptions } from 'helmet'
import type { World } from '../contract/health.ts'

const HSTS_SECONDS = 31_536_000
const NOTHING = ["'none'"]
const OWN = ["'self'"]
const OWN_IMAGES = ["'self'", 'data:']

const closed = { defaultSrc: NOTHING, frameAncestors: NOTHING, baseUri: NOTHING }

type Headers = Record<string, string>
type Directives = Record<string, string[]>

/** Returns what helmet sets with these directives. */
function headersWith(directives: Directives): Headers {
  const options: HelmetOptions = {
    strictTransportSecurity: { maxAge: HSTS_SECONDS },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    contentSecurityPolicy: { useDefaults: false, directives },
  }
  const headers: Headers = {}
  const response: Response = Object.create(express.response, {
    setHeader: { value: (name: string, value: string) => Object.assign(headers, { [name]: value }) },
    removeHeader: { value: () => {} },
  })
  helmet(options)(Object.create(express.request), response, () => {})
  return headers
}

/** The default for every response: a browser that shows it may load nothing and run nothing. */
export const STRICT_HEADERS = headersWith({ ...closed, formAction: NOTHING })

/** For a page with a message and no form. */
export const MESSAGE_HEADERS = headersWith({
  ...closed,
  styleSrc: OWN,
  imgSrc: OWN_IMAGES,
  formAction: NOTHING,
})

/** Runs first, so that errors and redirects have the headers too. */
export const strictHeaders = setHeaders(STRICT_HEADERS)

/** For the API, so that no cache stores the data of a merchant. */
export const noStore = setHeaders({ 'cache-control': 'no-store' })

/**
 * For hosted pages: own styles and images, no script. A browser applies `form-action` to the redirects after a form too, and the
 * simulated bank's form redirects to the merchant's returnUrl, which in the sandbox may be plain http. `worldOf` returns the world
 * of the page at a path.
 */
export function pageHeaders(worldOf: (path: string) => World): RequestHandler {
  const headers = { sandbox: headersOf('sandbox'), live: headersOf('live') }
  return (request, response, next) => headers[worldOf(request.path)](request, response, next)
}

function headersOf(world: World): RequestHandler {
  const formAction = ["'self'", 'https:', ...(world === 'sandbox' ? ['http:'] : [])]
  return setHeaders(headersWith({ ...closed, styleSrc: OWN, imgSrc: OWN_IMAGES, formAction }))
}

/** For the documents: the script of their copy buttons beside what a hosted page may load. */
export const documentHeaders: RequestHandler = setHeaders(
  headersWith({ ...closed, scriptSrc: OWN, styleSrc: OWN, imgSrc: OWN_IMAGES, formAction: OWN }),
)

/** For the demo shop: its own script, styles and calls. */
export const shopHeaders: RequestHandler = setHeaders(
  headersWith({
    ...closed,
    defaultSrc: OWN,
    scriptSrc: OWN,
    styleSrc: OWN,
    connectSrc: OWN,
    imgSrc: OWN_IMAGES,
    formAction: OWN,
  }),
)

/**
 * For the install page: its own script, and the widget's for the preview. Requests may go only to the page itself, so that a
 * preview cannot start a payment.
 */
export function installHeaders(baseUrl: string): RequestHandler {
  const connectSrc = [`${new URL(baseUrl).origin}/install/`]
  return setHeaders(
    headersWith({
      ...closed,
      scriptSrc: OWN,
      styleSrc: OWN,
      imgSrc: OWN_IMAGES,
      formAction: OWN,
      connectSrc,
    }),
  )
}

function setHeaders(headers: Headers): RequestHandler {
  const entries = Object.entries(headers)
  return (_request, response, next) => {
    for (const [name, value] of entries) response.setHeader(name, value)
    next()
  }
}

/**
 * For the console: its own images and script, and the styles whose digest this is. The referrer stays on the site, because older
 * browsers name the origin of a posted form only then.
 */
export function consoleHeaders(stylesDigest: string): RequestHandler {
  return setHeaders({
    ...headersWith({
      ...closed,
      scriptSrc: OWN,
      styleSrc: [stylesDigest],
      imgSrc: OWN_IMAGES,
      formAction: OWN,
      connectSrc: OWN,
      manifestSrc: OWN,
    }),
    'Referrer-Policy': 'same-origin',
    'cache-control': 'no-store',
  })
}
