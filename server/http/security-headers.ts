/** Response headers that every answer carries: one policy for the API, one for the pages. */
import type { RequestHandler } from 'express'
import helmet from 'helmet'
import type { World } from '../contract/health.ts'

const HSTS_SECONDS = 31_536_000
const NOTHING = ["'none'"]
const OWN = ["'self'"]
const OWN_IMAGES = ["'self'", 'data:']

const common = {
  strictTransportSecurity: { maxAge: HSTS_SECONDS },
  referrerPolicy: { policy: 'no-referrer' },
  xFrameOptions: { action: 'deny' },
} as const

const closed = { defaultSrc: NOTHING, frameAncestors: NOTHING, baseUri: NOTHING }

/** For JSON: a browser that is talked into rendering it may do nothing with it. */
export const apiHeaders: RequestHandler = helmet({
  ...common,
  contentSecurityPolicy: { useDefaults: false, directives: { ...closed, formAction: NOTHING } },
})

/**
 * For hosted pages: own styles and images, no script. A browser holds a form's redirects to `form-action` too, and the
 * simulated bank's form ends at the merchant's returnUrl, which in the sandbox may be plain http. `worldOf` tells the world of
 * the page at a path.
 */
export function pageHeaders(worldOf: (path: string) => World): RequestHandler {
  const headers = { sandbox: headersOf('sandbox'), live: headersOf('live') }
  return (request, response, next) => headers[worldOf(request.path)](request, response, next)
}

function headersOf(world: World): RequestHandler {
  const formAction = ["'self'", 'https:', ...(world === 'sandbox' ? ['http:'] : [])]
  return helmet({
    ...common,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { ...closed, styleSrc: OWN, imgSrc: OWN_IMAGES, formAction },
    },
  })
}

/** For the demo shop: its own script, styles and calls. */
export const shopHeaders: RequestHandler = helmet({
  ...common,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      ...closed,
      defaultSrc: OWN,
      scriptSrc: OWN,
      styleSrc: OWN,
      connectSrc: OWN,
      imgSrc: OWN_IMAGES,
      formAction: OWN,
    },
  },
})

/**
 * For the install page: its own script, and the widget's for the preview. It may ask for itself and for nothing else, so
 * that a preview cannot begin a payment, whatever its script does.
 */
export function installHeaders(baseUrl: string): RequestHandler {
  const connectSrc = [`${new URL(baseUrl).origin}/install/`]
  return helmet({
    ...common,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        ...closed,
        scriptSrc: OWN,
        styleSrc: OWN,
        imgSrc: OWN_IMAGES,
        formAction: OWN,
        connectSrc,
      },
    },
  })
}
