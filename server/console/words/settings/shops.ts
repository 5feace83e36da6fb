import { family } from '../family.ts'

/** A shop itself: its name, its state, and how its buyers pay. */
export const SHOP_SETTING_WORDS = family({
  en: {
    setShops: 'Shops',
    setShop: 'The shop',
    setName: 'Name',
    setState: 'State',
    callbackUrl: 'Callback URL',
    merchant_open: 'takes payments',
    merchant_paused: 'paused',
    merchant_closed: 'closed',
    setRoutes: 'Ways to pay',
    setRoutesHint:
      'One line each, such as route_a=Bank card. The first line is the first choice. Empty: buyers do not choose.',
    setLabelsHint: 'The names in this language.',
    setMarks: 'Pictures',
    setMarksHint: 'One line each, such as route_b=wallet: card, wallet, bank, cash or qr.',
    set_merchant_routes: 'Change the ways to pay',
    set_merchant_routes_lead:
      'Between these the buyers of the shop choose. New payments follow within a second.',
  },
  ru: {
    setShops: 'Магазины',
    setShop: 'Магазин',
    setName: 'Название',
    setState: 'Состояние',
    callbackUrl: 'Адрес для событий',
    merchant_open: 'принимает платежи',
    merchant_paused: 'приостановлен',
    merchant_closed: 'закрыт',
    setRoutes: 'Способы оплаты',
    setRoutesHint:
      'По строке на способ, например route_a=Банковская карта. Первая строка — первый выбор. Пусто: покупатель не выбирает.',
    setLabelsHint: 'Названия на этом языке.',
    setMarks: 'Значки',
    setMarksHint: 'По строке, например route_b=wallet: card, wallet, bank, cash или qr.',
    set_merchant_routes: 'Изменить способы оплаты',
    set_merchant_routes_lead:
      'Из них выбирают покупатели магазина. Новые платежи следуют этому через секунду.',
  },
  hy: {
    setShops: 'Խանութներ',
    setShop: 'Խանութ',
    setName: 'Անվանում',
    setState: 'Վիճակ',
    callbackUrl: 'Իրադարձությունների հասցե',
    merchant_open: 'ընդունում է վճարումներ',
    merchant_paused: 'դադարեցված է',
    merchant_closed: 'փակ է',
    setRoutes: 'Վճարման եղանակներ',
    setRoutesHint:
      'Մեկական տող, օրինակ՝ route_a=Բանկային քարտ։ Առաջին տողը առաջին ընտրությունն է։ Դատարկ՝ գնորդը չի ընտրում։',
    setLabelsHint: 'Անվանումներն այս լեզվով։',
    setMarks: 'Նշաններ',
    setMarksHint: 'Մեկական տող, օրինակ՝ route_b=wallet. card, wallet, bank, cash կամ qr։',
    set_merchant_routes: 'Փոխել վճարման եղանակները',
    set_merchant_routes_lead:
      'Սրանցից են ընտրում խանութի գնորդները։ Նոր վճարումները սրան հետևում են մեկ վայրկյանից։',
  },
})
