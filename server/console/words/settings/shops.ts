import { family } from '../family.ts'

/** A shop itself: its name, its state, and how its buyers pay. */
export const SHOP_SETTING_WORDS = family({
  en: {
    setShops: 'Shops',
    setShop: 'The shop',
    setName: 'Name',
    setState: 'State',
    setCallbackLater: 'What receives the events of the shop. It can be set later.',
    callbackUrl: 'Callback URL',
    setWebhookSecret: 'Secret that signs the events',
    merchant_open: 'takes payments',
    merchant_paused: 'paused',
    merchant_closed: 'closed',
    setRoutes: 'Ways to pay',
    setRoutesHint:
      'One line each, such as route_a=Bank card. The first line is the first choice. Empty: buyers do not choose.',
    setLabelsHint: 'The names in this language.',
    setMarks: 'Pictures',
    setMarksHint: 'One line each, such as route_b=wallet: card, wallet, bank, cash or qr.',
    set_merchant_create: 'Add a shop',
    set_merchant_create_lead: 'A new shop, with the secret that signs its events.',
    set_merchant_routes: 'Change the ways to pay',
    set_merchant_routes_lead:
      'Between these the buyers of the shop choose. New payments follow within a second.',
  },
  ru: {
    setShops: 'Магазины',
    setShop: 'Магазин',
    setName: 'Название',
    setState: 'Состояние',
    setCallbackLater: 'Куда приходят события магазина. Можно задать позже.',
    callbackUrl: 'Адрес для событий',
    setWebhookSecret: 'Секрет, которым подписаны события',
    merchant_open: 'принимает платежи',
    merchant_paused: 'приостановлен',
    merchant_closed: 'закрыт',
    setRoutes: 'Способы оплаты',
    setRoutesHint:
      'По строке на способ, например route_a=Банковская карта. Первая строка — первый выбор. Пусто: покупатель не выбирает.',
    setLabelsHint: 'Названия на этом языке.',
    setMarks: 'Значки',
    setMarksHint: 'По строке, например route_b=wallet: card, wallet, bank, cash или qr.',
    set_merchant_create: 'Добавить магазин',
    set_merchant_create_lead: 'Новый магазин и секрет, которым подписаны его события.',
    set_merchant_routes: 'Изменить способы оплаты',
    set_merchant_routes_lead:
      'Из них выбирают покупатели магазина. Новые платежи следуют этому через секунду.',
  },
  hy: {
    setShops: 'Խանութներ',
    setShop: 'Խանութ',
    setName: 'Անվանում',
    setState: 'Վիճակ',
    setCallbackLater: 'Որտեղ են գալիս խանութի իրադարձությունները։ Կարելի է սահմանել ավելի ուշ։',
    callbackUrl: 'Իրադարձությունների հասցե',
    setWebhookSecret: 'Գաղտնիք, որով ստորագրվում են իրադարձությունները',
    merchant_open: 'ընդունում է վճարումներ',
    merchant_paused: 'դադարեցված է',
    merchant_closed: 'փակ է',
    setRoutes: 'Վճարման եղանակներ',
    setRoutesHint:
      'Մեկական տող, օրինակ՝ route_a=Բանկային քարտ։ Առաջին տողը առաջին ընտրությունն է։ Դատարկ՝ գնորդը չի ընտրում։',
    setLabelsHint: 'Անվանումներն այս լեզվով։',
    setMarks: 'Նշաններ',
    setMarksHint: 'Մեկական տող, օրինակ՝ route_b=wallet. card, wallet, bank, cash կամ qr։',
    set_merchant_create: 'Ավելացնել խանութ',
    set_merchant_create_lead: 'Նոր խանութ և գաղտնիք, որով ստորագրվում են նրա իրադարձությունները։',
    set_merchant_routes: 'Փոխել վճարման եղանակները',
    set_merchant_routes_lead:
      'Սրանցից են ընտրում խանութի գնորդները։ Նոր վճարումները սրան հետևում են մեկ վայրկյանից։',
  },
})
