"""Charts as Vega-Lite specifications, rendered to SVG without a browser or network."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any


def trend_svg(trend: Sequence[Mapping[str, Any]]) -> str:
    """Return the 12-week trend of EX by arm as SVG; a dashed line marks each new snapshot."""
    import altair as alt
    import vl_convert

    points = [
        {
            "at": row["at"].isoformat(),
            "arm": row["arm"],
            "EX": row["ex_default"],
            "snapshot": row["snapshot_id"],
            "commit": (row["git_sha"] or "unknown")[:10],
            "new snapshot": number > 0 and row["snapshot_id"] != trend[number - 1]["snapshot_id"],
        }
        for number, row in enumerate(trend)
        if row["ex_default"] is not None
    ]
    # Within a few days the day alone would be written at every tick.
    short = trend[-1]["at"] - trend[0]["at"] < timedelta(days=4)
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X(
            "at:T",
            title=None,
            axis=alt.Axis(labelOverlap=True, tickCount=6, format="%d %b %H:%M" if short else "%d %b"),
        ),
        y=alt.Y("EX:Q", title="EX, default reading", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
        color=alt.Color("arm:N", title=None, legend=alt.Legend(orient="bottom", columns=2, labelLimit=300)),
    )
    marks = alt.Chart(alt.InlineData(values=[p for p in points if p["new snapshot"]])).mark_rule(
        strokeDash=[2, 3], opacity=0.4
    )
    chart = (base.mark_line() + base.mark_point(filled=True, size=45) + marks.encode(x="at:T")).properties(
        width=820, height=210, background="transparent"
    )
    return str(vl_convert.vegalite_to_svg(chart.to_dict()))
