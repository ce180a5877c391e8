"""Recipes: dishes of Velmora, what goes into them, what that holds, and what it costs at the market."""

from __future__ import annotations

from typing import Any, Literal

from proctor.starter.tables import one, table
from proctor.starter.tool import Refused, Tool, paged

BOOK = Tool(
    "Recipes", "Velmoran Recipes", "Dishes of Velmora: how long they take, for how many, and what goes into them."
)
PANTRY = Tool(
    "Recipes", "Pantry Guide", "Ingredients: their season, what they hold, allergens, and what serves instead."
)
MARKET = Tool("Recipes", "Market Stalls", "Stalls on the markets of Velmora, what they sell, and for how much.")

Diet = Literal["any", "vegan", "vegetarian", "fish", "meat"]
Allergen = Literal["gluten", "milk", "egg", "fish", "nuts"]
_FITS = {"vegan": ("vegan",), "vegetarian": ("vegan", "vegetarian"), "fish": ("fish",), "meat": ("meat",)}
_HOLDS = ("kcal", "protein", "carbohydrate", "fat")


def _kitchen() -> Any:
    return table("recipes")


def _recipe(recipe_id: str) -> dict[str, Any]:
    return one(_kitchen()["recipes"], "recipe_id", recipe_id, "recipe")


def _ingredient(ingredient_id: str) -> dict[str, Any]:
    return one(_kitchen()["ingredients"], "ingredient_id", ingredient_id, "ingredient")


def _brief(recipe: dict[str, Any]) -> dict[str, Any]:
    return {key: recipe[key] for key in ("recipe_id", "title", "diet", "minutes")}


def _scaled(recipe: dict[str, Any], servings: int) -> list[tuple[dict[str, Any], float]]:
    """The ingredients of a recipe with their grams for so many servings."""
    if not 1 <= servings <= 100:
        raise Refused(f"400 Bad Request: servings must be between 1 and 100, not {servings}.")
    return [(_ingredient(name), round(grams * servings / recipe["serves"], 1)) for name, grams in recipe["ingredients"]]


@BOOK.api("Search Recipes", words="plum")
def search_recipes(words: str, page: int = 1) -> dict[str, Any]:
    """Find recipes by words of their title or the town that they come from; gives the numbers that other calls need.

    words: Words that stand in the title or the town, in any order.
    page: Which page of the list, from 1.
    """
    wanted = words.casefold().split()
    found = [r for r in _kitchen()["recipes"] if all(w in f"{r['title']} {r['town']}".casefold() for w in wanted)]
    return paged([_brief(recipe) for recipe in found], page)


@BOOK.api("Recipe Details", recipe_id="RC-604")
def recipe_details(recipe_id: str) -> dict[str, Any]:
    """Town, diet, servings and minutes of a recipe, Copperpot's numbers of its equipment, the library's of its book.

    recipe_id: The recipe's number, such as RC-604.
    """
    return {key: value for key, value in _recipe(recipe_id).items() if key != "ingredients"}


@BOOK.api("Ingredients Of Recipe", recipe_id="RC-604", servings=10)
def ingredients_of_recipe(recipe_id: str, servings: int) -> dict[str, Any]:
    """What goes into a dish for a number of people, in grams.

    recipe_id: The recipe's number, such as RC-604.
    servings: For how many people, 1 to 100.
    """
    recipe = _recipe(recipe_id)
    rows = [
        {"ingredient_id": i["ingredient_id"], "name": i["name"], "grams": grams}
        for i, grams in _scaled(recipe, servings)
    ]
    return {"title": recipe["title"], "servings": servings, "ingredients": rows}


@BOOK.api("Recipes With Ingredient", ingredient_id="IG-16")
def recipes_with_ingredient(ingredient_id: str, page: int = 1) -> dict[str, Any]:
    """The recipes into which an ingredient goes, five to a page.

    ingredient_id: The ingredient's number, such as IG-16.
    page: Which page of the list, from 1.
    """
    wanted = _ingredient(ingredient_id)["ingredient_id"]
    return paged([_brief(r) for r in _kitchen()["recipes"] if wanted in dict(r["ingredients"])], page)


@BOOK.api("Recipes For Diet", diet="vegan", max_minutes=60)
def recipes_for_diet(diet: Diet, max_minutes: int, page: int = 1) -> dict[str, Any]:
    """The recipes that fit a diet and take no longer than so many minutes, the quickest first, five to a page.

    diet: The diet; vegan dishes are vegetarian as well.
    max_minutes: How many minutes they may take.
    page: Which page of the list, from 1.
    """
    fitting = [r for r in _kitchen()["recipes"] if diet == "any" or r["diet"] in _FITS[diet]]
    quick = sorted((r for r in fitting if r["minutes"] <= max_minutes), key=lambda r: r["minutes"])
    return paged([_brief(recipe) for recipe in quick], page)


@BOOK.api("Allergens In Recipe", recipe_id="RC-604")
def allergens_in_recipe(recipe_id: str) -> dict[str, Any]:
    """The allergens in a dish, and the ingredients that bring them in.

    recipe_id: The recipe's number, such as RC-604.
    """
    recipe = _recipe(recipe_id)
    brought: dict[str, list[str]] = {}
    for ingredient, _ in _scaled(recipe, recipe["serves"]):
        for allergen in ingredient["allergens"]:
            brought.setdefault(allergen, []).append(ingredient["name"])
    return {"title": recipe["title"], "allergens": [{"allergen": a, "from": names} for a, names in brought.items()]}


@BOOK.api("Nutrition Of Recipe", recipe_id="RC-604")
def nutrition_of_recipe(recipe_id: str) -> dict[str, Any]:
    """Kilocalories, protein, carbohydrate and fat in one serving of a dish.

    recipe_id: The recipe's number, such as RC-604.
    """
    recipe = _recipe(recipe_id)
    one_serving = _scaled(recipe, recipe["serves"])
    held = {key: sum(i[key] * grams for i, grams in one_serving) / 100 / recipe["serves"] for key in _HOLDS}
    rounded = {key: round(value, 1) for key, value in held.items() if key != "kcal"}
    return {"title": recipe["title"], "kcal": round(held["kcal"])} | rounded


@PANTRY.api("Find Ingredient", name="walnut")
def find_ingredient(name: str) -> dict[str, Any]:
    """Find ingredients by their name or a part of it; gives the numbers that other calls need.

    name: The ingredient's name, or a part of it.
    """
    found = [row for row in _kitchen()["ingredients"] if name.casefold() in row["name"]]
    return {"ingredients": [{key: row[key] for key in ("ingredient_id", "name", "season")} for row in found]}


@PANTRY.api("Ingredient Details", ingredient_id="IG-16")
def ingredient_details(ingredient_id: str) -> dict[str, Any]:
    """Season, allergens, usual price for a kilogram, and what 100 grams of an ingredient hold.

    ingredient_id: The ingredient's number, such as IG-16.
    """
    return dict(_ingredient(ingredient_id))


@PANTRY.api("Substitute For", ingredient_id="IG-16", grams=100)
def substitute_for(ingredient_id: str, grams: float) -> dict[str, Any]:
    """What may be taken in place of an ingredient, and how much of it.

    ingredient_id: The ingredient's number, such as IG-16.
    grams: How much of the ingredient is to be replaced, in grams.
    """
    if not 0 < grams <= 100_000:
        raise Refused(f"400 Bad Request: grams must be above 0 and at most 100000, not {grams:g}.")
    ingredient = _ingredient(ingredient_id)
    for row in _kitchen()["substitutes"]:
        if row["ingredient_id"] == ingredient["ingredient_id"]:
            instead = _ingredient(row["instead_id"])
            named = {"for": ingredient["name"], "ingredient_id": instead["ingredient_id"], "take": instead["name"]}
            return named | {"grams": round(grams * row["ratio"], 1), "note": row["note"]}
    raise Refused(f"404 Not Found: nothing is known that stands in for {ingredient['name']}.")


@PANTRY.api("Ingredients Without", allergen="milk")
def ingredients_without(allergen: Allergen, page: int = 1) -> dict[str, Any]:
    """The ingredients that are free of an allergen, ten to a page.

    allergen: The allergen.
    page: Which page of the list, from 1.
    """
    found = [row for row in _kitchen()["ingredients"] if allergen not in row["allergens"]]
    return paged([{key: row[key] for key in ("ingredient_id", "name")} for row in found], page, 10)


@MARKET.api("Stalls With Ingredient", ingredient_id="IG-16")
def stalls_with_ingredient(ingredient_id: str) -> dict[str, Any]:
    """The market stalls that sell an ingredient, with their towns and days and what a kilogram costs there.

    ingredient_id: The ingredient's number, such as IG-16.
    """
    ingredient = _ingredient(ingredient_id)
    rows = [
        {key: stall[key] for key in ("stall_id", "name", "town", "days")}
        | {"price_per_kg": round(ingredient["price_per_kg"] * stall["factor"] + 1e-9, 2)}
        for stall in _kitchen()["stalls"]
        if ingredient["ingredient_id"] in stall["sells"]
    ]
    return {"ingredient": ingredient["name"], "stalls": rows}


@MARKET.api("Stall Details", stall_id="MS-3")
def stall_details(stall_id: str) -> dict[str, Any]:
    """Town, market days and the numbers of the ingredients of a market stall.

    stall_id: The stall's number, such as MS-3.
    """
    stall = one(_kitchen()["stalls"], "stall_id", stall_id, "stall")
    return {key: value for key, value in stall.items() if key != "factor"}


@MARKET.api("Cost Of Dish", recipe_id="RC-604", servings=10)
def cost_of_dish(recipe_id: str, servings: int) -> dict[str, Any]:
    """What the ingredients of a dish cost for a number of people, at the usual prices.

    recipe_id: The recipe's number, such as RC-604.
    servings: For how many people, 1 to 100.
    """
    recipe = _recipe(recipe_id)
    total = sum(i["price_per_kg"] * grams / 1000 for i, grams in _scaled(recipe, servings))
    return {"title": recipe["title"], "servings": servings, "total": round(total + 1e-9, 2), "currency": "VLM"}


@MARKET.api("Price At Stall", stall_id="MS-3", ingredient_id="IG-16", grams=250)
def price_at_stall(stall_id: str, ingredient_id: str, grams: float) -> dict[str, Any]:
    """What an amount of an ingredient costs at a market stall.

    stall_id: The stall's number, such as MS-3.
    ingredient_id: The ingredient's number, such as IG-16.
    grams: How much, in grams.
    """
    if not 0 < grams <= 100_000:
        raise Refused(f"400 Bad Request: grams must be above 0 and at most 100000, not {grams:g}.")
    stall, ingredient = one(_kitchen()["stalls"], "stall_id", stall_id, "stall"), _ingredient(ingredient_id)
    if ingredient["ingredient_id"] not in stall["sells"]:
        raise Refused(f"404 Not Found: {stall['name']} does not sell {ingredient['name']}.")
    price = round(ingredient["price_per_kg"] * stall["factor"] * grams / 1000 + 1e-9, 2)
    return {"stall": stall["name"], "ingredient": ingredient["name"], "grams": grams} | {
        "price": price,
        "currency": "VLM",
    }
