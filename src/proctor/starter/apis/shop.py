"""Shop: the Copperpot shops, with what they sell, what is in stock, prices, and orders."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Date, Refused, Tool, paged
from proctor.starter.values import day

PRODUCTS = Tool("Shop", "Copperpot Catalogue", "What the Copperpot shops sell: kitchen, garden, lighting, outdoor.")
STOCK = Tool("Shop", "Copperpot Stock", "How many pieces the Copperpot shops have, and when more arrive.")
PRICES = Tool("Shop", "Copperpot Prices", "Baskets, vouchers and delivery fees of the Copperpot shops.")
ORDERS = Tool("Shop", "Copperpot Orders", "Orders at the Copperpot shops: how they stand and what is in them.")

Category = Literal["kitchen", "garden", "lighting", "outdoor"]
Sorting = Literal["price", "rating", "name"]
_TODAY = "2025-10-06"
"""The day of the shop: vouchers that ended before it are refused."""
_FREE_FROM = 150.0


def _shop() -> Any:
    return table("shop")


def _product(product_id: str) -> dict[str, Any]:
    return one(_shop()["products"], "product_id", product_id, "product")


def _branch(shop_id: str) -> dict[str, Any]:
    return one(_shop()["shops"], "shop_id", shop_id, "shop")


def _order(order_number: str) -> dict[str, Any]:
    return one(_shop()["orders"], "order_number", order_number, "order")


def _brief(product: dict[str, Any]) -> dict[str, Any]:
    return {key: product[key] for key in ("product_id", "name", "price")}


@PRODUCTS.api("Search Products", words="lantern")
def search_products(words: str, page: int = 1) -> dict[str, Any]:
    """Find products by words of their name; five to a page, with the numbers that other calls need.

    words: Words of the product's name.
    page: Which page of the list, from 1.
    """
    wanted = words.casefold().split()
    return paged([_brief(p) for p in _shop()["products"] if all(w in p["name"].casefold() for w in wanted)], page)


@PRODUCTS.api("Products In Category", category="garden")
def products_in_category(category: Category, sort: Sorting = "name", page: int = 1) -> dict[str, Any]:
    """The products of a category, five to a page.

    category: The category.
    sort: By price from the cheapest, by rating from the best, or by name.
    page: Which page of the list, from 1.
    """
    found = [product for product in _shop()["products"] if product["category"] == category]
    found.sort(key=lambda p: (-p["rating"] if sort == "rating" else p[sort], p["product_id"]))
    return paged([_brief(product) | {"rating": product["rating"]} for product in found], page)


@PRODUCTS.api("Product Details", product_id="CP-2003")
def product_details(product_id: str) -> dict[str, Any]:
    """Price in VLM, weight, warranty in years and customers' rating of a product.

    product_id: The product's number, such as CP-2003.
    """
    return dict(_product(product_id))


@PRODUCTS.api("List Shops")
def list_shops() -> dict[str, Any]:
    """All Copperpot shops with their numbers, towns and opening hours."""
    return {"shops": [dict(shop) for shop in _shop()["shops"]]}


@STOCK.api("Stock Of Product", product_id="CP-2003")
def stock_of_product(product_id: str) -> dict[str, Any]:
    """How many pieces of a product each Copperpot shop has.

    product_id: The product's number, such as CP-2003.
    """
    product = _product(product_id)
    pieces = _shop()["stock"][product["product_id"]]
    shops = [
        {"shop_id": shop["shop_id"], "town": shop["town"], "pieces": count}
        for shop, count in zip(_shop()["shops"], pieces, strict=True)
    ]
    return {"product_id": product["product_id"], "name": product["name"], "total": sum(pieces), "shops": shops}


@STOCK.api("Stock In Shop", product_id="CP-2003", shop_id="S-2")
def stock_in_shop(product_id: str, shop_id: str) -> dict[str, Any]:
    """How many pieces of a product one Copperpot shop has.

    product_id: The product's number, such as CP-2003.
    shop_id: The shop's number, such as S-2.
    """
    product, shop = _product(product_id), _branch(shop_id)
    pieces = _shop()["stock"][product["product_id"]][_shop()["shops"].index(shop)]
    return {"product_id": product["product_id"], "name": product["name"], "shop": shop["name"], "pieces": pieces}


@STOCK.api("Next Delivery", product_id="CP-2201", shop_id="S-1")
def next_delivery(product_id: str, shop_id: str) -> dict[str, Any]:
    """When a shop gets more pieces of a product, and how many.

    product_id: The product's number, such as CP-2201.
    shop_id: The shop's number, such as S-1.
    """
    product, shop = _product(product_id), _branch(shop_id)
    for row in _shop()["deliveries"]:
        if (row["product_id"], row["shop_id"]) == (product["product_id"], shop["shop_id"]):
            return {"name": product["name"], "shop": shop["name"], "date": row["date"], "pieces": row["pieces"]}
    raise Refused(f"404 Not Found: no delivery of {product['product_id']} to {shop['shop_id']} is planned.")


@STOCK.api("Reserve Piece", product_id="CP-2003", shop_id="S-1", quantity=1)
def reserve_piece(product_id: str, shop_id: str, quantity: int) -> dict[str, Any]:
    """Have pieces of a product laid aside at a shop for three days; returns the number to name at the counter.

    product_id: The product's number, such as CP-2003.
    shop_id: The shop's number, such as S-1.
    quantity: How many pieces, from 1.
    """
    there = stock_in_shop(product_id, shop_id)
    if quantity < 1:
        raise Refused(f"400 Bad Request: quantity must be at least 1, not {quantity}.")
    if quantity > there["pieces"]:
        raise Refused(f"409 Conflict: {there['shop']} has {there['pieces']} of {there['product_id']}, not {quantity}.")
    number = f"L{there['product_id'][3:]}-{shop_id[2:]}{quantity:02d}"
    return {"reservation": number, "name": there["name"], "shop": there["shop"], "until": "2025-10-09"}


@PRICES.api("Basket Price", product_id="CP-2202", quantity=2)
def basket_price(product_id: str, quantity: int, voucher: str = "") -> dict[str, Any]:
    """What a number of pieces costs, less a voucher where one is given, without delivery.

    product_id: The product's number, such as CP-2202.
    quantity: How many pieces, 1 to 50.
    voucher: The code of a voucher.
    """
    product = _product(product_id)
    if not 1 <= quantity <= 50:
        raise Refused(f"400 Bad Request: quantity must be between 1 and 50, not {quantity}.")
    full = round(product["price"] * quantity, 2)
    percent = _discount(voucher, product["category"], full) if voucher else 0
    saved = round(full * percent / 100, 2)
    return {"name": product["name"], "quantity": quantity, "full": full, "saved": saved} | {
        "to_pay": round(full - saved, 2),
        "currency": "VLM",
    }


@PRICES.api("Voucher Details", code="LANTERN10")
def voucher_details(code: str) -> dict[str, Any]:
    """What a voucher takes off, from which sum, for which category, and until when.

    code: The voucher's code.
    """
    return dict(one(_shop()["vouchers"], "code", code, "voucher"))


@PRICES.api("Delivery Fee", town="Garrow", order_value=80)
def delivery_fee(town: str, order_value: float, express: bool = False) -> dict[str, Any]:
    """What delivery to a town costs and how many days it takes; free from 150 VLM, express always costs.

    town: The town.
    order_value: What the goods cost, in VLM.
    express: Whether it is to arrive a day earlier, for 5 VLM more.
    """
    known = {name.casefold(): name for name in _shop()["delivery"]}
    if town.casefold() not in known:
        raise Refused(f"404 Not Found: Copperpot does not deliver to {town!r}.")
    fee, days = _shop()["delivery"][known[town.casefold()]]
    fee = 0.0 if order_value >= _FREE_FROM else fee
    days = max(1, days - 1) if express else days
    return {"town": known[town.casefold()], "fee": round(fee + 5 * express, 2), "days": days, "currency": "VLM"}


@ORDERS.api("Order Status", order_number="O-77134")
def order_status(order_number: str) -> dict[str, Any]:
    """How an order stands, when it was made, and the number of its parcel where it has been sent.

    order_number: The order's number, such as O-77134.
    """
    keys = ("order_number", "date", "status", "town", "parcel_id")
    return {key: _order(order_number)[key] for key in keys}


@ORDERS.api("Order Items", order_number="O-77134")
def order_items(order_number: str) -> dict[str, Any]:
    """The products in an order, how many of each, and what they cost together.

    order_number: The order's number, such as O-77134.
    """
    order = _order(order_number)
    items = [_brief(_product(product)) | {"quantity": count} for product, count in order["items"]]
    total = round(sum(item["price"] * item["quantity"] for item in items), 2)
    return {"order_number": order["order_number"], "items": items, "total": total, "currency": "VLM"}


@ORDERS.api("Cancel Order", order_number="O-77170", email="rosa@example.org")
def cancel_order(order_number: str, email: str) -> dict[str, Any]:
    """Cancel an order that has not been packed yet. The address must be the one with which it was made.

    order_number: The order's number, such as O-77170.
    email: The customer's address.
    """
    order = _order(order_number)
    if order["email"].casefold() != email.casefold():
        raise Refused(f"403 Forbidden: order {order['order_number']} was not made with {email}.")
    if order["status"] not in ("paid", "unpaid"):
        raise Refused(f"409 Conflict: order {order['order_number']} is {order['status']} and cannot be cancelled.")
    total = order_items(order_number)["total"]
    return {"order_number": order["order_number"], "status": "cancelled"} | {
        "refund": total if order["status"] == "paid" else 0.0,
        "currency": "VLM",
    }


@ORDERS.api("Return Until", order_number="O-77120", delivered_on="2025-09-26")
def return_until(order_number: str, delivered_on: Date) -> dict[str, Any]:
    """Until when the goods of an order may be sent back: 30 days after delivery.

    order_number: The order's number, such as O-77120.
    delivered_on: The day on which it was delivered.
    """
    order = _order(order_number)
    if order["status"] != "delivered":
        raise Refused(f"409 Conflict: order {order['order_number']} is {order['status']}, not delivered.")
    return {"order_number": order["order_number"], "return_until": _later(delivered_on, 30)}


def _discount(code: str, category: str, full: float) -> int:
    """What a voucher takes off, in per cent; refused where it does not hold."""
    voucher = one(_shop()["vouchers"], "code", code, "voucher")
    if voucher["until"] < _TODAY:
        raise Refused(f"410 Gone: the voucher {voucher['code']} ended on {voucher['until']}.")
    if voucher["category"] not in ("all", category):
        raise Refused(f"409 Conflict: the voucher {voucher['code']} holds for {voucher['category']}, not {category}.")
    if full < voucher["minimum"]:
        raise Refused(f"409 Conflict: the voucher {voucher['code']} holds from {voucher['minimum']} VLM.")
    return int(voucher["percent"])


def _later(date: str, days: int) -> str:
    return (day(date) + dt.timedelta(days=days)).isoformat()
