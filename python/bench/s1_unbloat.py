"""S1, a CUBIC flow into a buffer of 1000 packets: the packets that wait, over time. With unbloat."""

import matplotlib
import numpy

import unbloat
from unbloat.scenario import Bulk, Link, Scenario

matplotlib.use("svg")
from matplotlib import pyplot

deep = "pfifo limit 100000"
scenario = Scenario(
    duration="60s",
    link=[
        Link(name="access", from_="client", to="near", rate="1gbit", delay="500us", queue=deep),
        Link(
            name="bottleneck", from_="near", to="far", rate="10mbit", delay="24ms", queue="pfifo limit 1000"
        ),
        Link(name="egress", from_="far", to="server", rate="1gbit", delay="500us", queue=deep),
    ],
    flow=[Bulk(name="cubic", from_="client", to="server", mss=1448, receive_window="4MB")],
)
series = unbloat.run(scenario, series="100ms").series
waiting = numpy.asarray(series["bottleneck.forward.backlog_packets"])
pyplot.plot(numpy.asarray(series["time_s"]), waiting)
pyplot.xlabel("time in seconds")
pyplot.ylabel("packets that wait")
pyplot.savefig("s1-unbloat.svg")
