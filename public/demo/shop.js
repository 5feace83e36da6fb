/** The shop's page. It asks its own back end what is for sale, then shows the pay button. */
import { amountText } from './drawing.js'
import { language, say, translatePage } from './words.js'

const REQUEST_TIMEOUT_MS = 10_000
const REQUIRED = ['publicKey', 'productId', 'productName', 'currency', 'widgetUrl', 'payUrl', 'returnUrl']

const buy = document.querySelector('#buy')

async function readShop() {
  const answer = await fetch('/demo/api/shop', {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  })
  if (!answer.ok) throw new Error(`the shop's back end returned ${answer.status}`)
  const shop = await answer.json()
  const missing = REQUIRED.filter((name) => typeof shop?.[name] !== 'string' || shop[name] === '')
  if (!Number.isSafeInteger(shop.amountMinor)) missing.push('amountMinor')
  if (missing.length > 0) throw new Error(`the shop's back end left out ${missing.join(', ')}`)
  return shop
}

/** `name`, `price`: in the page's language. */
function payButton(shop, name, price) {
  const button = document.createElement('kassa-pay')
  button.setAttribute('public-key', shop.publicKey)
  button.setAttribute('product-id', shop.productId)
  button.setAttribute('return-url', `${shop.returnUrl}?${new URLSearchParams({ lang: language })}`)
  button.setAttribute('product-name', name)
  button.setAttribute('price', price)
  button.setAttribute('locale', language)
  // The link shows until the widget has loaded. Without the widget it still leads to the same payment page.
  const link = document.querySelector('#pay-link')
  link.href = `${shop.payUrl}?${new URLSearchParams({ locale: language })}`
  link.textContent = say('buyFor', { price })
  button.append(link)
  return button
}

function loadWidget(widgetUrl) {
  const address = new URL(widgetUrl, location.href)
  // The back end's answer decides which script runs on this page. Only a script of this host may run.
  if (address.origin !== location.origin) throw new Error(`the widget is on another host: ${address.origin}`)
  const script = document.createElement('script')
  script.async = true
  script.src = address.href
  document.head.append(script)
}

translatePage()
document.querySelector('#owner-guides').href = `/docs/shop/${language}/link`
for (const link of document.querySelectorAll('.owner a[href^="/demo/"]'))
  link.href += `?${new URLSearchParams({ locale: language })}`
try {
  const shop = await readShop()
  const name = language === 'en' ? shop.productName : say('productName')
  document.querySelector('#product-name').textContent = name
  const price = amountText(shop.amountMinor, shop.currency)
  document.querySelector('#price').textContent = price
  document.title = `${name} · ${say('shopName')}`
  buy.replaceChildren(payButton(shop, name, price))
  loadWidget(shop.widgetUrl)
} catch (error) {
  console.error(`Demo shop: ${error.message}`)
  // Without the shop's back end neither the button nor the link would work, so a sentence replaces them.
  const line = document.createElement('p')
  line.className = 'problem'
  line.setAttribute('role', 'status')
  line.textContent = say('tillClosed')
  buy.replaceChildren(line)
}
