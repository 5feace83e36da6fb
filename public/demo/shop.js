/** The shop's page: asks its own back end what is for sale, then puts the pay button in place. */
import { language, say, translatePage } from './words.js'

const REQUEST_TIMEOUT_MS = 10_000
const REQUIRED = ['publicKey', 'productId', 'productName', 'price', 'widgetUrl', 'returnUrl']

const buy = document.querySelector('#buy')

async function readShop() {
  const answer = await fetch('/demo/api/shop', {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  })
  if (!answer.ok) throw new Error(`the shop's back end answered ${answer.status}`)
  const shop = await answer.json()
  const missing = REQUIRED.filter((name) => typeof shop?.[name] !== 'string' || shop[name] === '')
  if (missing.length > 0) throw new Error(`the shop's back end left out ${missing.join(', ')}`)
  return shop
}

function payButton(shop) {
  const button = document.createElement('kassa-pay')
  button.setAttribute('public-key', shop.publicKey)
  button.setAttribute('product-id', shop.productId)
  button.setAttribute('return-url', `${shop.returnUrl}?${new URLSearchParams({ lang: language })}`)
  button.setAttribute('price', shop.price)
  button.setAttribute('locale', language)
  // Seen only until the widget has loaded; if it never does, this reloads the page, which is the best cure.
  const fallback = document.createElement('a')
  fallback.href = '/demo/'
  fallback.className = 'fallback'
  fallback.textContent = say('buyFor', { price: shop.price })
  button.append(fallback)
  return button
}

function loadWidget(widgetUrl) {
  const address = new URL(widgetUrl, location.href)
  // The answer decides which script runs on this page, so another host is refused before the policy does it.
  if (address.origin !== location.origin) throw new Error(`the widget is on another host: ${address.origin}`)
  const script = document.createElement('script')
  script.async = true
  script.src = address.href
  script.addEventListener('error', () => {
    tell(say('buttonFailed'))
  })
  document.head.append(script)
}

/** Tells the buyer; what was there before (a button, perhaps) goes, because it would not work. */
function tell(text, className = 'problem') {
  const line = document.createElement('p')
  line.className = className
  line.setAttribute('role', 'status')
  line.textContent = text
  buy.replaceChildren(line)
}

// Written here and not in the page, so that a browser without scripts does not wait for ever.
translatePage()
tell(say('askingPrice'), 'waiting')
try {
  const shop = await readShop()
  const name = language === 'en' ? shop.productName : say('productName')
  document.querySelector('#product-name').textContent = name
  document.querySelector('#price').textContent = shop.price
  document.title = `${name} · ${say('shopName')}`
  buy.replaceChildren(payButton(shop))
  loadWidget(shop.widgetUrl)
} catch (error) {
  console.error(`Demo shop: ${error.message}`)
  tell(say('tillClosed'))
}
